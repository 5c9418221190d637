// A run as a tree that is drawn again and again. Pure: from what is known of a run to the lines of one picture.

import { count, formatDuration } from "@atomic/terminal/count";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { Json } from "@atomic/workflows/internal/run/json";
import { formatSpent, formatTokens, shorten } from "../report/format.ts";
import { hasFailedItems, type NodeStatus, type NodeView, nodeViews } from "./node-view.ts";
import { describeStatus, hasEnded, statusColour } from "./run-status.ts";
import type { RunView } from "./run-view.ts";

export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  readonly now: number;
  /** Nothing moves. */
  readonly isStill?: boolean;
}

export function progressLines(graph: GraphJson, view: RunView, canvas: Canvas): string[] {
  const tree = nodeViews(graph, view).flatMap((node) => linesOf(node, 0, view, canvas));
  // One line stays free for the cursor, so nothing scrolls.
  const shown = fitRows(tree, Math.max(1, canvas.rows - 2));
  return [runHeadline(view, canvas), ...drawLines(shown, canvas)];
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
  /** Done, but not all of it: shown however small the terminal is. */
  readonly hasFailedItems?: true;
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

export const nodeColours: Readonly<Record<NodeStatus, Colour>> = {
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

const gap = 2;
/** Less says nothing. */
const leastLabel = 5;
/** "waiting for an answer" comes before what it cost. */
const leastStatus = 22;

/** Which run it is and how it is doing; then as much else as fits. */
export function runHeadline({ state }: RunView, { columns, colour, now }: Canvas): string {
  const { status, createdAt, updatedAt, budget, spent } = state;
  const paint = painter(colour);
  const name = safeLine(state.name ?? "run");
  const percent = (used: number, allowed: number): string =>
    allowed === 0 ? "100%" : `${Math.floor((100 * used) / allowed)}%`;
  const limits = [
    ...(budget.usd === undefined ? [] : [`${percent(spent.usd, budget.usd)} of $${budget.usd.toFixed(2)}`]),
    ...(budget.tokens === undefined
      ? []
      : [`${percent(spent.tokens, budget.tokens)} of ${formatTokens(budget.tokens)}`]),
    ...(budget.steps === undefined ? [] : [`${spent.steps} of ${count(budget.steps, "step")}`]),
  ];
  const took = formatDuration((hasEnded(status) ? updatedAt : now) - createdAt);
  const known = [took, formatSpent(spent), limits.join(", ")].filter((fact) => fact !== "");
  const before = `${name} ${state.runId}`;
  const text = safeLine(describeStatus(status));
  const room = columns - displayWidth(before) - gap;
  if (room < leastLabel) return paint("bold", truncate(before, columns));
  const least = Math.min(displayWidth(text), leastStatus);
  while (known.length > 0 && least + gap + displayWidth(known.join(" · ")) > room) known.pop();
  const rest = known.length === 0 ? "" : `  ${known.join(" · ")}`;
  const shown = truncate(text, room - displayWidth(rest));
  return `${paint("bold", name)} ${state.runId}  ${paint(statusColour(status), shown)}${paint("dim", rest)}`;
}

function linesOf(node: NodeView, depth: number, view: RunView, canvas: Canvas): Line[] {
  const { status, startedAt, endedAt, idleMs, attempt, until, error } = node;
  const { now, isStill = false } = canvas;
  const indent = "  ".repeat(depth + 1);
  const moving = isStill ? "•" : (spinner[Math.floor(now / frameMs) % spinner.length] ?? "");
  const symbol = status === "running" ? moving : symbols[status];
  const isOpen = status === "running" || status === "waiting" || status === "retrying";
  const end = endedAt ?? (isOpen ? now : undefined);
  const cost = formatSpent(node.cost);
  const right =
    startedAt === undefined
      ? []
      : [
          ...(end === undefined ? [] : [formatDuration(end - startedAt - idleMs)]),
          ...(until === undefined
            ? []
            : [`${status === "retrying" ? "again" : "until"} in ${formatDuration(until - now)}`]),
          ...(attempt > 1 && status !== "done" ? [`attempt ${attempt}`] : []),
          ...(cost === "" ? [] : [cost]),
        ];
  const left = `${indent}${symbol} ${safeLine(node.name)}`;
  const flaw = hasFailedItems(node) && ({ hasFailedItems: true } as const);
  const lines: Line[] = [{ left, symbol, status, label: safeLine(node.label), right: right.join(" · "), ...flaw }];
  const said = { symbol: "", status, label: "", right: "", isNote: true } as const;
  if (error !== undefined)
    lines.push({ ...said, left: `${indent}  ${safeLine(shorten(error))}`, isError: true, ...flaw });
  const { notes } = view;
  const note = status === "running" ? noteText(notes.get(node.path) ?? notes.get(`${node.path}:session`)) : "";
  if (note !== "") lines.push({ ...said, left: `${indent}  ${safeLine(note)}` });
  // The inside of a finished node no longer matters, except for a map with failed items.
  const isOver = status === "done" || status === "dropped" || status === "pending";
  const inside = isOver ? node.inside.filter(hasFailedItems) : node.inside;
  return [...lines, ...inside.flatMap((each) => linesOf(each, depth + 1, view, canvas))];
}

const longestNote = 200;

/** What a step last said of itself, in a line. Not yet safe for a terminal; empty if it is not meant for people. */
export function noteText(note: Json | undefined): string {
  const { type, text, tool, input, ok, host, model, reason } = (
    typeof note === "object" && note !== null && !Array.isArray(note) ? note : { type: "text", text: note }
  ) as { readonly [key: string]: Json };
  if (type === "tool-ended" && typeof tool === "string") return `${tool} ${ok === false ? "failed" : "is done"}`;
  // OpenCode first installs packages of its own into a project's folder, which can take a minute.
  if (type === "host-starting")
    return host === "opencode" ? "starting opencode; the first start takes longer" : `starting ${host}`;
  if (type === "no-price") {
    return `${host} has no price for ${model}, so a budget in dollars cannot stop it; use --budget-tokens`;
  }
  let shown = "";
  if (type === "retrying") shown = `the model's provider failed; trying again: ${reason}`;
  if (type === "text" && typeof text === "string") shown = text.trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (type === "tool-started" && typeof tool === "string") {
    // A command, a path, …: whatever text comes first.
    const values = typeof input === "object" && input !== null ? Object.values(input) : [input];
    shown = `${tool} ${values.find((value) => typeof value === "string") ?? ""}`.trimEnd();
  }
  return shown.length > longestNote ? `${shown.slice(0, longestNote)}…` : shown;
}

/** Keeps what is under way. Notes go first, then what was done longest ago, then what is furthest away. */
function fitRows(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows) return lines;
  const quiet = lines.filter(({ isNote, isError }) => isNote !== true || isError === true);
  if (quiet.length <= rows) return quiet;
  const goes = ({ status, hasFailedItems }: Line) => (status === "done" || status === "dropped") && !hasFailedItems;
  const [left, done] = without(quiet, goes, rows);
  const before = done === 0 ? [] : [summaryLine("done", `${done} done`)];
  const [reversed, pending] = without(left.toReversed(), ({ status }) => status === "pending", rows - before.length);
  const after = pending === 0 ? [] : [summaryLine("pending", `${pending} to come`)];
  const kept = reversed.toReversed();
  return [...before, ...kept, ...after].length <= rows ? [...before, ...kept, ...after] : kept.slice(0, rows);
}

/** Drops as many of these lines as necessary, the first ones first, and says how many. One line is left for that number. */
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

function drawLines(lines: readonly Line[], { columns, colour }: Canvas): string[] {
  const paint = painter(colour);
  const widest = (of: (line: Line) => string): number =>
    Math.max(0, ...lines.map((line) => (line.isNote === true ? 0 : displayWidth(of(line)))));
  const leftWidth = Math.min(widest((line) => line.left) + gap, Math.floor(columns * 0.6));
  const room = columns - leftWidth - widest((line) => line.right);
  const wanted = Math.min(widest((line) => line.label) + gap, room);
  const labelWidth = wanted < leastLabel + gap ? 0 : wanted;
  return lines.map(({ left, symbol, status, label, right, isNote, isError }) => {
    if (isNote === true) return paint(isError === true ? "red" : "dim", truncate(left, columns));
    const name = truncate(left, Math.max(1, Math.min(leftWidth, columns)));
    const about = padEnd(truncate(label, labelWidth - gap), labelWidth);
    const text = truncate(`${padEnd(name, leftWidth)}${about}${right}`.trimEnd(), columns);
    // The symbol has the colour of the status; what is not yet there, and all but the name, is dim.
    if (status === "pending" || status === "dropped") return paint("dim", text);
    const at = text.indexOf(symbol);
    if (at < 0 || symbol === "") return text;
    let end = 0;
    let width = 0;
    for (const character of text) {
      if (width >= displayWidth(name)) break;
      width += displayWidth(character);
      end += character.length;
    }
    const named = text.slice(at + symbol.length, end);
    return text.slice(0, at) + paint(nodeColours[status], symbol) + named + paint("dim", text.slice(end));
  });
}
