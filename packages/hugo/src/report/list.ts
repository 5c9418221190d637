import { count } from "@atomic/workflows/terminal/count";
import type { Page } from "@atomic/workflows/terminal/page";
import { type Colour, painter } from "@atomic/workflows/terminal/paint";
import { safe, safeLine } from "@atomic/workflows/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/workflows/terminal/table";
import { versionLabel } from "../manage/version-label.ts";
import type { Report } from "../operation.ts";
import type { ListedWorkflow, ListResult } from "../operations/list.ts";

export const listReport: Report<ListResult> = {
  text: ({ workflows, detailed }, page) =>
    detailed ? workflows.map((each) => details(each, page)).join("\n") : table(workflows, page),
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

function table(workflows: readonly ListedWorkflow[], page: Page): string {
  if (workflows.length === 0) return "No workflows are installed. `hugo install <package>` installs one.\n";
  const { columns: width, colour } = page;
  const inner: Page = { colour, ...(width !== undefined && { columns: width - INDENT.length }) };
  const lines = formatTable(columns, workflows.map(row), inner).split(/^/m);
  return `Installed workflows:\n${lines.map((line) => INDENT + line).join("")}`;
}

const INDENT = "  ";

function row(workflow: ListedWorkflow): Cell[] {
  const { name, version, package: packageName, delivery } = workflow;
  return [name, versionLabel(version), stateCell(workflow), packageName, `(${contents(workflow)})`, delivery];
}

function stateCell({ enabled }: ListedWorkflow): { text: string; colour: Colour } {
  return enabled ? { text: "enabled", colour: "green" } : { text: "disabled", colour: "yellow" };
}

function contents({ agents, commands, skills }: ListedWorkflow): string {
  const parts = [
    [agents.length, "agent"],
    [skills.length, "skill"],
    [commands.length, "command"],
  ] as const;
  const there = parts.filter(([amount]) => amount > 0).map(([amount, word]) => count(amount, word));
  return there.length === 0 ? "nothing listed" : there.join(", ");
}

function details(workflow: ListedWorkflow, { colour }: Page): string {
  const paint = painter(colour);
  const { name, version, package: packageName, source, delivery, agents, commands, skills, selection } = workflow;
  const facts: readonly (readonly [label: string, value: string])[] = [
    ["package", packageName],
    ["source", source],
    ["version", version],
    ["delivery", delivery === "plugin" ? "plugin" : `copy (${count(workflow.files, "file")})`],
    ["entry", workflow.entries.map(({ file, spec }) => `${spec} in ${file}`).join(", ")],
    ["agents", agents.join(", ")],
    ["commands", commands.map((command) => `/${command}`).join(", ")],
    ["skills", skills.join(", ")],
    ["selected", selection?.join(", ") ?? ""],
  ];
  const state = stateCell(workflow);
  const title = `${paint("bold", safe`${name} ${versionLabel(version)}`)} (${paint(state.colour, state.text)})\n`;
  const known = facts.filter(([, value]) => value !== "");
  return title + known.map(([label, value]) => `  ${paint("dim", label.padEnd(8))}  ${safeLine(value)}\n`).join("");
}
