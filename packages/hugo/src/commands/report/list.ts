import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { versionLabel } from "../../packages/version-label.ts";
import type { ListResult } from "../list.ts";
import type { ListedWorkflow } from "../shared/listed.ts";

export const listReport: Report<ListResult> = {
  text: ({ workflows, detailed }, page) =>
    detailed ? workflows.map((each) => details(each, page)).join("\n") : installedTable(workflows, page),
  notes: ({ notices }) => notices.map((notice) => `${safeLine(notice)}\n`).join(""),
  json: ({ workflows, notices }) => ({ workflows, notices }),
  exitCode: () => 0,
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
