// A run as a tree that is drawn again and again. Pure: from what is known of a run to the lines of one picture.

import { formatDuration } from "@atomic/terminal/duration";
import { type Colour, type Paint, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import type { GraphJson } from "@atomic/workflows/graph/graph-json";
import { formatSpent, formatTokens } from "../report/amounts.ts";
import { shorten } from "../report/shorten.ts";
import { type NodeStatus, type NodeView, nodeViews } from "./node-view.ts";
import { noteText } from "./note.ts";
import { safeStatus, statusColour } from "./run-status.ts";
import type { RunView } from "./run-view.ts";

export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  readonly now: number;
}

export function progressLines(graph: GraphJson, view: RunView, canvas: Canvas): string[] {
  const tree = nodeViews(graph, view).flatMap((node) => linesOf(node, 0, view, canvas));
  const head = headLine(view, canvas);
  // One line stays free for the cursor, so that nothing scrolls.
  const shown = fitRows(tree, Math.max(1, canvas.rows - 2));
  const widths = widthsFor(shown, canvas);
  return [head, ...shown.map((line) => draw(line, widths, canvas))];
}

interface Line {
  /** Symbol and name, with the space before them. */
  readonly left: string;
  readonly symbol: string;
  readonly status: NodeStatus;
  readonly label: string;
  /** Time and cost. */
  readonly right: string;
  readonly isError?: true;
  /** Said by the node above. */
  readonly isNote?: true;
}

const symbols: Readonly<Record<NodeStatus, string>> = {
  pending: "·",
  running: "", // it moves
  retrying: "↻",
  waiting: "?",
  done: "✓",
  failed: "✗",
  interrupted: "‖",
  dropped: "–",
};

const colours: Readonly<Record<NodeStatus, Colour>> = {
  pending: "dim",
  running: "cyan",
  retrying: "yellow",
  waiting: "yellow",
  done: "green",
  failed: "red",
  interrupted: "yellow",
  dropped: "dim",
};

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
export const frameMs = 100;

function symbolOf(status: NodeStatus, now: number): string {
  return status === "running" ? (spinner[Math.floor(now / frameMs) % spinner.length] ?? "") : symbols[status];
}

export function colourOf(status: NodeStatus): Colour {
  return colours[status];
}

/** Who it is and how it is doing; then as much else as fits. */
function headLine({ state }: RunView, { columns, colour, now }: Canvas): string {
  const paint = painter(colour);
  const name = safeLine(state.name ?? "run");
  const { status, createdAt, updatedAt } = state;
  const isOver = status.kind === "done" || status.kind === "failed" || status.kind === "cancelled";
  const facts = [formatDuration((isOver ? updatedAt : now) - createdAt), formatSpent(state.spent), budgetText(state)];
  const before = `${name} ${state.runId}`;
  const text = safeStatus(status);
  const room = columns - displayWidth(before) - gap;
  if (room < leastLabel) return paint("bold", truncate(before, columns));
  const known = facts.filter((fact) => fact !== "");
  const least = Math.min(displayWidth(text), leastStatus);
  while (known.length > 0 && least + gap + displayWidth(known.join(" · ")) > room) known.pop();
  const rest = known.length === 0 ? "" : `  ${known.join(" · ")}`;
  const shown = truncate(text, room - displayWidth(rest));
  return `${paint("bold", name)} ${state.runId}  ${paint(statusColour(status), shown)}${paint("dim", rest)}`;
}

function budgetText({ budget, spent }: RunView["state"]): string {
  const parts = [
    ...(budget.usd === undefined ? [] : [`${percent(spent.usd, budget.usd)} of $${budget.usd.toFixed(2)}`]),
    ...(budget.tokens === undefined
      ? []
      : [`${percent(spent.tokens, budget.tokens)} of ${formatTokens(budget.tokens)}`]),
    ...(budget.steps === undefined ? [] : [`${spent.steps} of ${budget.steps} steps`]),
  ];
  return parts.join(", ");
}

function percent(spent: number, allowed: number): string {
  return allowed === 0 ? "100%" : `${Math.floor((100 * spent) / allowed)}%`;
}

function linesOf(node: NodeView, depth: number, view: RunView, canvas: Canvas): Line[] {
  const { status, name, label, error, inside } = node;
  const symbol = symbolOf(status, canvas.now);
  const left = `${"  ".repeat(depth + 1)}${symbol} ${safeLine(name)}`;
  const own: Line = { left, symbol, status, label: safeLine(label), right: rightOf(node, canvas.now) };
  const notes: Line[] = [];
  const indent = "  ".repeat(depth + 2);
  if (error !== undefined) {
    const text = `${indent}${safeLine(shorten(error))}`;
    notes.push({ left: text, symbol: "", status, label: "", right: "", isNote: true, isError: true });
  }
  const note = status === "running" ? noteText(view.notes.get(node.path)) : "";
  if (note !== "") {
    notes.push({ left: `${indent}${safeLine(note)}`, symbol: "", status, label: "", right: "", isNote: true });
  }
  // What is inside of something that is over is of no interest any more.
  const isOver = status === "done" || status === "dropped" || status === "pending";
  return [own, ...notes, ...(isOver ? [] : inside.flatMap((each) => linesOf(each, depth + 1, view, canvas)))];
}

function rightOf({ status, startedAt, endedAt, idleMs, cost, attempt, until }: NodeView, now: number): string {
  if (startedAt === undefined) return "";
  const isOpen = status === "running" || status === "waiting" || status === "retrying";
  const end = endedAt ?? (isOpen ? now : undefined);
  return [
    ...(end === undefined ? [] : [formatDuration(end - startedAt - idleMs)]),
    ...(until === undefined ? [] : [`${status === "retrying" ? "again" : "until"} in ${formatDuration(until - now)}`]),
    ...(attempt > 1 && status !== "done" ? [`attempt ${attempt}`] : []),
    ...(formatSpent(cost) === "" ? [] : [formatSpent(cost)]),
  ].join(" · ");
}

/** Keeps what is under way. First goes what was said, then what is done longest, then what is furthest away. */
function fitRows(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows) return lines;
  const quiet = lines.filter(({ isNote, isError }) => isNote !== true || isError === true);
  if (quiet.length <= rows) return quiet;
  const [left, done] = without(quiet, ({ status }) => status === "done" || status === "dropped", rows);
  const before = done === 0 ? [] : [summaryLine("done", `${done} done`)];
  const [reversed, pending] = without(left.toReversed(), ({ status }) => status === "pending", rows - before.length);
  const after = pending === 0 ? [] : [summaryLine("pending", `${pending} to come`)];
  const kept = reversed.toReversed();
  return [...before, ...kept, ...after].length <= rows ? [...before, ...kept, ...after] : kept.slice(0, rows);
}

/** As many of these as it takes, the first ones first; and how many that are. They leave a line that says so. */
function without(lines: readonly Line[], goes: (line: Line) => boolean, rows: number): readonly [Line[], number] {
  let excess = lines.length > rows ? lines.length + 1 - rows : 0;
  const kept: Line[] = [];
  for (const line of lines) {
    if (excess > 0 && goes(line)) excess -= 1;
    else kept.push(line);
  }
  return [kept, lines.length - kept.length];
}

function summaryLine(status: NodeStatus, text: string): Line {
  const symbol = symbols[status];
  return { left: `  ${symbol} ${text}`, symbol, status, label: "", right: "" };
}

/** Of the columns, with the space behind them. */
interface Widths {
  readonly left: number;
  readonly label: number;
}

const gap = 2;
/** Less says nothing. */
const leastLabel = 5;
/** "waiting for an answer" comes before what it cost. */
const leastStatus = 22;

function widthsFor(lines: readonly Line[], { columns }: Canvas): Widths {
  const widest = (of: (line: Line) => string): number =>
    Math.max(0, ...lines.map((line) => (line.isNote === true ? 0 : displayWidth(of(line)))));
  const left = Math.min(widest((line) => line.left) + gap, Math.floor(columns * 0.6));
  const room = columns - left - widest((line) => line.right);
  const label = Math.min(widest((line) => line.label) + gap, room);
  return { left, label: label < leastLabel + gap ? 0 : label };
}

function draw(line: Line, widths: Widths, { columns, colour }: Canvas): string {
  const paint = painter(colour);
  if (line.isNote === true) return paint(line.isError === true ? "red" : "dim", truncate(line.left, columns));
  const left = truncate(line.left, Math.max(1, Math.min(widths.left, columns)));
  const label = padEnd(truncate(line.label, widths.label - gap), widths.label);
  const whole = truncate(`${padEnd(left, widths.left)}${label}${line.right}`.trimEnd(), columns);
  return paintLine(whole, line, paint, displayWidth(left));
}

/** The symbol has the colour of the status; what is not yet there, and all but the name, is dim. */
function paintLine(text: string, { symbol, status }: Line, paint: Paint, named: number): string {
  if (status === "pending" || status === "dropped") return paint("dim", text);
  const at = text.indexOf(symbol);
  if (at < 0 || symbol === "") return text;
  const name = text.slice(at + symbol.length, sliceAt(text, named));
  return text.slice(0, at) + paint(colours[status], symbol) + name + paint("dim", text.slice(sliceAt(text, named)));
}

/** Where the first so many columns end. */
function sliceAt(text: string, columns: number): number {
  let at = 0;
  let width = 0;
  for (const character of text) {
    if (width >= columns) break;
    width += displayWidth(character);
    at += character.length;
  }
  return at;
}
