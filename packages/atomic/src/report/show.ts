import { count } from "@atomic/terminal/count";
import { formatDuration } from "@atomic/terminal/duration";
import type { Page } from "@atomic/terminal/page";
import { safeLine } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import type { ShownRun } from "../commands/show.ts";
import { colourOf } from "../view/progress.ts";
import { howToAnswer, questionText, suggestionLines } from "../view/question.ts";
import { describeStatus, describeWhole, nextStep, statusColour } from "../view/run-status.ts";
import type { CallRow, MarkRow, TimelineRow } from "../view/timeline.ts";
import { budgetText, formatAgo, formatSpent, formatTime, formatTokens, formatUsd } from "./amounts.ts";
import { type Fact, factSheet } from "./facts.ts";
import { shorten } from "./shorten.ts";

/** All about one run: what it is, what it did, what it waits for. */
export function showText(run: ShownRun, page: Page): string {
  const parts = [sheet(run, page), timeline(run, page), run.full ? failures(run) : "", questions(run, page)];
  return parts.filter((part) => part !== "").join("\n");
}

export function showJson(run: ShownRun): object {
  const { where, view, setup, questions, timeline, now: _now } = run;
  const { runId, name, status, createdAt, updatedAt, claims, input, budget, spent } = view.state;
  return {
    version: 1,
    project: where.project,
    home: where.home,
    runId,
    ...(name !== undefined && { workflow: name }),
    status,
    createdAt,
    updatedAt,
    claims,
    input,
    ...(setup !== undefined && { setup }),
    budget,
    spent,
    questions,
    timeline,
  };
}

function sheet({ view: { state }, setup, now, full }: ShownRun, page: Page): string {
  const { status, createdAt, updatedAt, claims, input } = state;
  const taken = claims > 1 ? `, taken ${count(claims, "time")}` : "";
  const facts: Fact[] = [
    ["workflow", setup === undefined ? (state.name ?? "") : `${state.name} (${setup.workflow})`],
    ["status", full ? describeWhole(status) : describeStatus(status), statusColour(status)],
    ["hint", status.kind === "failed" ? (status.error.hint ?? "") : ""],
    ["next", nextStep(state) ?? ""],
    ["started", `${formatTime(createdAt)} (${formatAgo(now - createdAt)})${taken}`],
    ["changed", `${formatTime(updatedAt)} (${formatAgo(now - updatedAt)})`],
    ["host", setup === undefined ? "" : [setup.host, setup.model ?? ""].join(" ").trimEnd()],
    ["input", input === null || input === "" ? "" : shortened(JSON.stringify(input))],
    ["spent", spentText(state)],
    ["budget", budgetText(state.budget)],
  ];
  return factSheet("run", state.runId, facts, page);
}

/** Every failure word for word. */
function failures({ timeline: rows }: ShownRun): string {
  const failed = rows.flatMap((row) => (row.kind === "call" && row.error !== undefined ? [row] : []));
  return failed
    .map(({ key, status, error = "", hint = "" }) => {
      const text = hint === "" ? error : `${error.trimEnd()}\n${hint}`;
      return `${safeLine(`${key} ${status}:`)}\n${indented(text)}`;
    })
    .join("\n");
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${safeLine(line)}`.trimEnd())
    .join("\n")
    .concat("\n");
}

function spentText({ spent }: ShownRun["view"]["state"]): string {
  const parts = [`${count(spent.steps, "step")} in ${formatDuration(spent.wallMs)} of work`, formatSpent(spent)];
  return parts.filter((part) => part !== "").join(" · ");
}

const longestInput = 500;

function shortened(text: string): string {
  return text.length > longestInput ? `${text.slice(0, longestInput)}…` : text;
}

function timeline({ timeline: rows, view: { state } }: ShownRun, page: Page): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => cellsOf(row, state.createdAt));
  const shown = columns.flatMap((_, at) => (hasRoom(at, cells, page) ? [at] : []));
  return formatTable(
    shown.flatMap((at) => columns[at] ?? []),
    cells.map((row) => shown.map((at) => row[at] ?? "")),
    page,
  );
}

const columns: readonly Column[] = [
  { title: "AFTER" },
  { title: "NODE", least: 12 },
  { title: "KIND", least: 5 },
  { title: "TOOK" },
  { title: "TOKENS" },
  { title: "COST" },
  { title: "OUTCOME", least: 10 },
];

const narrow = 80;

/** Where lines are cut, what became of a node comes before its kind, and before columns with nothing in them. */
function hasRoom(at: number, rows: readonly (readonly Cell[])[], page: Page): boolean {
  if (page.columns === undefined || page.columns >= narrow) return true;
  return columns[at]?.title !== "KIND" && rows.some((row) => row[at] !== "");
}

function cellsOf(row: TimelineRow, from: number): readonly Cell[] {
  return row.kind === "mark" ? markCells(row, from) : callCells(row, from);
}

function markCells({ at, text }: MarkRow, from: number): readonly Cell[] {
  const dim = (value: string): Cell => ({ text: value, colour: "dim" });
  return [dim(offset(at - from)), dim("–"), "", "", "", "", dim(text)];
}

function callCells(row: CallRow, from: number): readonly Cell[] {
  const { key, what, status, at, ms, cost } = row;
  return [
    { text: offset(at - from), colour: "dim" },
    key,
    { text: what, colour: "dim" },
    ms === undefined ? "" : formatDuration(ms),
    cost.tokens === 0 ? "" : formatTokens(cost.tokens).replace(/ tokens?$/, ""),
    cost.usd === 0 ? "" : formatUsd(cost.usd),
    { text: outcomeOf(row), colour: colourOf(status) },
  ];
}

function outcomeOf({ status, error, answer, attempts, took }: CallRow): string {
  const tries = attempts > 1 ? ` (attempt ${attempts})` : "";
  if (error !== undefined) return `${status}${tries}: ${shorten(error)}`;
  if (answer !== undefined) return `answered: ${typeof answer === "string" ? answer : JSON.stringify(answer)}`;
  return took === undefined ? status + tries : `${took}${tries}`;
}

/** `+3:12` */
function offset(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `+${minutes}:${two(seconds % 60)}`;
  return `+${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function questions({ questions: open, view: { state } }: ShownRun, page: Page): string {
  const isOnly = open.length === 1;
  return open
    .map((each) => questionText(each, page) + suggestionLines(howToAnswer(state.runId, each, isOnly), page))
    .join("");
}
