import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { versionLabel } from "../packages/labels.ts";
import { type Place, placeFor, portablePath } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import type { Operation } from "./shared/operation.ts";

interface ListResult {
  /** Somebody asked for one and wants to know all of it. */
  readonly detailed: boolean;
  readonly workflows: readonly ListedWorkflow[];
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow, with all details" } } as const;

export const list: Operation<typeof names, Record<never, never>, ListResult> = {
  name: "list",
  aliases: ["ls"],
  summary: "List installed workflows, and whether OpenCode sees them",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo list", shows: "name, version, state, package and contents of each workflow" },
    { command: "hugo ls review", shows: "everything about one workflow" },
  ],
  mutates: false,
  async run(context, input) {
    const place = placeFor(context, input);
    const installed = await readInstalled(place);
    const workflows = oneOrAll(installed, input.name).map((name) => listedWorkflow(place, installed, name));
    return { detailed: input.name !== undefined, workflows, notices: installed.notices };
  },
  report: {
    text: ({ workflows, detailed }, page) =>
      detailed ? workflows.map((each) => details(each, page)).join("\n") : installedTable(workflows, page),
    notes: ({ notices }) => notices.map((notice) => `${safeLine(notice)}\n`).join(""),
    json: ({ workflows, notices }) => ({ workflows, notices }),
    exitCode: () => 0,
  },
};

const columns: readonly Column[] = [
  { title: "Name" },
  { title: "Version" },
  { title: "State" },
  { title: "Package", least: 12 },
  { title: "Contents", least: 10 },
  { title: "Delivery", least: 6 },
];

/** What the table tells of a workflow. */
type TableRow = Pick<
  ListedWorkflow,
  "name" | "version" | "enabled" | "package" | "agents" | "commands" | "skills" | "workflows" | "delivery"
>;

function installedTable(workflows: readonly TableRow[], page: Page): string {
  if (workflows.length === 0) return "No workflows are installed. `hugo install <package>` installs one.\n";
  const { columns: width, colour } = page;
  const inner: Page = { colour, ...(width !== undefined && { columns: width - INDENT.length }) };
  return `Installed workflows:\n${formatTable(columns, rowsOf(workflows), inner).replace(/^(?=.)/gm, INDENT)}`;
}

const INDENT = "  ";

/** One loop, as there may be hundreds: what is called for each of them a runtime begins to compile. */
function rowsOf(workflows: readonly TableRow[]): Cell[][] {
  const rows: Cell[][] = [];
  for (const row of workflows) {
    const {
      name,
      version,
      enabled,
      package: packageName,
      agents,
      skills,
      commands,
      workflows: graphs = [],
      delivery,
    } = row;
    const parts: string[] = [];
    if (agents.length > 0) parts.push(count(agents.length, "agent"));
    if (skills.length > 0) parts.push(count(skills.length, "skill"));
    if (commands.length > 0) parts.push(count(commands.length, "command"));
    if (graphs.length > 0) parts.push(count(graphs.length, "workflow"));
    const contents = parts.length === 0 ? "nothing listed" : parts.join(", ");
    rows.push([name, versionLabel(version), stateCells[`${enabled}`], packageName, `(${contents})`, delivery]);
  }
  return rows;
}

const stateCells = {
  true: { text: "enabled", colour: "green" },
  false: { text: "disabled", colour: "yellow" },
} as const;

function details(workflow: ListedWorkflow, { colour }: Page): string {
  const paint = painter(colour);
  const { name, version, package: packageName, source, delivery, agents, commands, skills } = workflow;
  const facts: readonly (readonly [label: string, value: string])[] = [
    ["package", packageName],
    ["source", source],
    ["version", version],
    ["delivery", delivery === "plugin" ? "plugin" : `copy (${count(workflow.files, "file")})`],
    ["entry", workflow.entries.map(({ file, spec }) => `${spec} in ${file}`).join(", ")],
    ["agents", agents.join(", ")],
    ["commands", commands.map((command) => `/${command}`).join(", ")],
    ["skills", skills.join(", ")],
    ["workflows", workflow.workflows?.join(", ") ?? ""],
    ["selected", workflow.selection?.join(", ") ?? ""],
  ];
  const state = stateCells[`${workflow.enabled}`];
  const title = `${paint("bold", safe`${name} ${versionLabel(version)}`)} (${paint(state.colour, state.text)})\n`;
  const known = facts.filter(([, value]) => value !== "");
  const width = Math.max(...known.map(([label]) => label.length));
  return title + known.map(([label, value]) => `  ${paint("dim", label.padEnd(width))}  ${safeLine(value)}\n`).join("");
}

/** What there is to say of an installed workflow without a look at its files. */
interface InstalledWorkflow {
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  /** Of a copy: its files are parked. */
  readonly parked: boolean;
  /** How many files were copied. */
  readonly files: number;
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  /** Graphs; missing if there are none. */
  readonly workflows?: readonly string[];
  readonly selection?: readonly string[];
}

interface Installed {
  readonly workflows: ReadonlyMap<string, InstalledWorkflow>;
  readonly notices: readonly string[];
  /** Where a workflow stands in plugin arrays. */
  entriesOf(name: string): readonly { readonly file: string; readonly spec: string }[];
}

async function readInstalled(place: Place): Promise<Installed> {
  const snapshot = await readSnapshot(place);
  const workflows = [...snapshot.lock.workflows].map(([name, workflow]): [string, InstalledWorkflow] => {
    const { package: packageName, source, version, delivery, agents, commands, skills } = workflow;
    const { workflows, selection } = workflow;
    const isCopy = delivery.kind === "copy";
    const parked = isCopy && delivery.parked;
    const files = isCopy ? delivery.files.size : 0;
    const about = { package: packageName, source, version, delivery: delivery.kind, parked, files };
    const more = { ...(workflows !== undefined && { workflows }), ...(selection !== undefined && { selection }) };
    return [name, { ...about, agents, commands, skills, ...more }];
  });
  return {
    workflows: new Map(workflows),
    notices: snapshot.notices,
    entriesOf: (name) => snapshot.entriesOf(name),
  };
}

interface ListedWorkflow extends Omit<InstalledWorkflow, "parked"> {
  readonly name: string;
  readonly enabled: boolean;
  /** How it stands in plugin arrays. */
  readonly entries: readonly { readonly file: string; readonly spec: string }[];
}

/** What `list` knows of a workflow. */
function listedWorkflow(place: Place, installed: Installed, name: string): ListedWorkflow {
  const { parked, ...workflow } = installed.workflows.get(name)!;
  const entries = workflow.delivery === "plugin" ? installed.entriesOf(name) : [];
  return {
    name,
    ...workflow,
    enabled: workflow.delivery === "copy" ? !parked : entries.length > 0,
    entries: entries.map(({ file, spec }) => ({ file: portablePath(place, file), spec })),
  };
}
