import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import type { Registers } from "@atomic/workflows/internal/hugo-lock/registers";
import { CODE_ONLY, contentAmounts, registersLabel, versionLabel } from "../packages/labels.ts";
import type { ContentNames } from "../packages/resolved-package.ts";
import type { NamedEntry } from "../workspace/draft.ts";
import { isRedirected } from "../workspace/pin.ts";
import { inScope, placeFor, portablePath, type WorkspacePlace } from "../workspace/place.ts";
import { OwnConfigs } from "../workspace/plugin-arrays.ts";
import { readSnapshot } from "../workspace/snapshot.ts";
import { unmanagedPlugins } from "../workspace/unmanaged.ts";
import { nothingInstalled, oneOrAll } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import type { UnmanagedEntry } from "./shared/unmanaged.ts";
import type { ReportedWorkflow } from "./shared/workflow-status.ts";

interface ListResult {
  readonly place: WorkspacePlace;
  /** Plugins in this place's configs that Hugo did not install. */
  readonly unmanaged: readonly UnmanagedEntry[];
  /** The user asked for one workflow with all details. */
  readonly detailed: boolean;
  readonly workflows: readonly ListedWorkflow[];
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow, with all details" } } as const;

export const list: HugoCommand<typeof names, Record<never, never>, ListResult> = {
  name: "list",
  aliases: ["ls"],
  summary: "List installed workflows and whether OpenCode sees them",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo list", shows: "each workflow's name, version, state, package and contents" },
    { command: "hugo ls review", shows: "everything about one workflow" },
  ],
  mutates: false,
  async run(context, input) {
    const place = placeFor(context, input);
    const snapshot = await readSnapshot(place);
    const { lock } = snapshot;
    const own = new OwnConfigs(place);
    const workflows = oneOrAll(lock, input.name).map((name): ListedWorkflow => {
      const workflow = lock.workflows.get(name)!;
      const { package: packageName, source, version, delivery, ...contents } = workflow;
      const { agents, commands, skills, workflows, registers, selection } = contents;
      const entries = delivery.kind === "plugin" ? snapshot.entriesOf(name) : [];
      return {
        name,
        package: packageName,
        source,
        version,
        delivery: delivery.kind,
        files: delivery.kind === "copy" ? delivery.files.size : 0,
        agents,
        commands,
        skills,
        ...(workflows !== undefined && { workflows }),
        ...(registers !== undefined && { registers }),
        ...(selection !== undefined && { selection }),
        enabled: delivery.kind === "copy" ? !delivery.parked : entries.length > 0,
        ...(entries.some(({ spec }) => spec.includes("/.hugo/store/")) &&
          !snapshot.isStored(name) && { missing: true }),
        ...(entries.some((entry) => own.has(entry.file) && isRedirected(place, name, workflow, entry)) && {
          redirected: true,
        }),
        entries: entries.map(({ file, spec }) => ({ file: portablePath(place, file), spec })),
      };
    });
    const hasOthers = input.name === undefined && unmanagedPlugins(snapshot).length > 0;
    // Loaded only where needed: most projects have none.
    const unmanaged = hasOthers ? (await import("./shared/unmanaged.ts")).readUnmanaged(snapshot, context) : [];
    return { place, workflows, unmanaged, notices: snapshot.notices, detailed: input.name !== undefined };
  },
  report: {
    text: ({ workflows, unmanaged, detailed }, page) =>
      detailed
        ? workflows.map((each) => details(each, page)).join("\n")
        : installedTable(workflows, page) + unmanagedTable(unmanaged, page),
    notes: ({ place, workflows, notices, unmanaged }, page) =>
      [
        ...notices.map((notice) => paragraph(safeLine(notice), page, { indent: "  " })),
        workflows.some(({ missing }) => missing) ? paragraph(inScope(place, MISSING), page, { indent: "" }) : "",
        workflows.some(({ redirected }) => redirected) ? paragraph(REDIRECTED, page, { indent: "" }) : "",
        unmanaged.some(({ adoption }) => !("problem" in adoption))
          ? paragraph(inScope(place, "`hugo adopt` lets Hugo manage them."), page, { indent: "" })
          : "",
      ].join(""),
    json: ({ workflows, unmanaged, notices }) => ({
      workflows,
      unmanaged: unmanaged.map(({ adoption, ...about }) => ({
        ...about,
        ...("problem" in adoption ? { problem: adoption.problem } : { source: adoption.request.recorded }),
      })),
      notices,
    }),
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

const INDENT = "  ";

function installedTable(workflows: readonly ListedWorkflow[], page: Page): string {
  if (workflows.length === 0) {
    return paragraph(nothingInstalled, page, { indent: "" });
  }
  const { columns: width, colour } = page;
  const inner: Page = { colour, ...(width !== undefined && { columns: width - INDENT.length }) };
  const rows: Cell[][] = [];
  // One loop without calls, because there may be hundreds: this keeps the runtime from compiling helpers.
  for (const workflow of workflows) {
    const {
      name,
      version,
      enabled,
      missing,
      redirected,
      package: packageName,
      agents,
      skills,
      commands,
      delivery,
    } = workflow;
    const graphs = workflow.workflows ?? [];
    const { registers } = workflow;
    const parts: string[] = [];
    if (registers !== undefined) parts.push(contentAmounts(workflow));
    else if (agents.length > 0) parts.push(count(agents.length, "agent"));
    if (skills.length > 0) parts.push(count(skills.length, "skill"));
    if (commands.length > 0) parts.push(count(commands.length, "command"));
    if (graphs.length > 0) parts.push(count(graphs.length, "workflow"));
    const contents = parts.length === 0 ? CODE_ONLY : parts.join(", ");
    const state = redirected ? redirectedCell : missing ? missingCell : stateCells[`${enabled}`];
    rows.push([name, versionLabel(version), state, packageName, `(${contents})`, delivery]);
  }
  return `Installed workflows:\n${formatTable(columns, rows, inner).replace(/^(?=.)/gm, INDENT)}`;
}

const unmanagedColumns: readonly Column[] = [
  { title: "Name" },
  { title: "Version" },
  { title: "Config", least: 12 },
  { title: "", least: 10 },
];

/** Unlike workflows, they are what users wrote themselves, so there are few. */
function unmanagedTable(unmanaged: readonly UnmanagedEntry[], page: Page): string {
  if (unmanaged.length === 0) return "";
  const { columns: width, colour } = page;
  const inner: Page = { colour, ...(width !== undefined && { columns: width - INDENT.length }) };
  const rows = unmanaged.map(({ name, version, entries, adoption }): Cell[] => [
    name,
    version === undefined ? "" : versionLabel(version),
    [...new Set(entries.map(({ file }) => file))].join(", "),
    "problem" in adoption ? { text: adoption.problem, colour: "dim" } : "",
  ]);
  return `Not managed by Hugo:\n${formatTable(unmanagedColumns, rows, inner).replace(/^(?=.)/gm, INDENT)}`;
}

/** As after a clone. */
const missingCell = { text: "missing", colour: "red" } as const;
const MISSING = "OpenCode does not load what is missing. `hugo ci` fetches it.";
/** A config names a folder that Hugo did not write there. */
const redirectedCell = { text: "redirected", colour: "red" } as const;
const REDIRECTED = "A config points to a folder other than the installed package's. `hugo verify` shows where.";

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
    ["registers", workflow.registers === undefined ? "" : registersLabel(workflow.registers)],
    ["selected", workflow.selection?.join(", ") ?? ""],
  ];
  const { enabled, missing, redirected } = workflow;
  const state = redirected ? redirectedCell : missing ? missingCell : stateCells[`${enabled}`];
  const title = `${paint("bold", safe`${name} ${versionLabel(version)}`)} (${paint(state.colour, state.text)})\n`;
  const known = facts.filter(([, value]) => value !== "");
  const width = Math.max(...known.map(([label]) => label.length));
  return title + known.map(([label, value]) => `  ${paint("dim", label.padEnd(width))}  ${safeLine(value)}\n`).join("");
}

/** What is known about an installed workflow without reading its files. */
interface ListedWorkflow extends ReportedWorkflow, ContentNames {
  /** How many files were copied. */
  readonly files: number;
  /** What a plugin without a manifest adds, if OpenCode was asked. */
  readonly registers?: Registers;
  readonly selection?: readonly string[];
  readonly enabled: boolean;
  /** A config names it, but its package is not in the store. */
  readonly missing?: true;
  /** A config names another folder than the one with the installed package. */
  readonly redirected?: true;
  /** How plugin arrays name it. */
  readonly entries: readonly NamedEntry[];
}
