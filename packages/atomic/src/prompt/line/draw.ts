// The prompt line, and below it a list, a notice or what else there is to know. Pure: from a state to lines.
import { type Paint, painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, graphemesOf, padEnd, truncate } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import { type Line, lineEnd, lineStart } from "./edit.ts";
import type { PromptState } from "./state.ts";

export interface PromptCanvas {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
}

export interface PromptPicture {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** Shown in place of what is not typed yet. */
const placeholder = "Type a task, or / for commands";
const indent = "  ";
const tab = "  ";
const longestList = 8;

/** @param footer What is shown below while nothing else is. */
export function drawPrompt(state: PromptState, footer: string, { columns, rows, colour }: PromptCanvas): PromptPicture {
  const paint = painter(colour);
  // A full line would begin a new one.
  const width = Math.max(4, columns - 1);
  const { mode } = state;
  const query = mode.kind === "searching" ? truncate(safeLine(mode.query), Math.floor(width / 3)) : undefined;
  const lead = query === undefined ? "> " : width < 30 ? "? " : `search "${query}": `;
  const leadWidth = displayWidth(lead);
  const most = Math.max(1, Math.floor(rows / 2));
  const { line, isStart } = linesAround(state, most);
  const text = layoutText(line, width, isStart ? leadWidth : indent.length);
  const from = Math.max(0, Math.min(text.cursor.row - most + 1, text.rows.length - most));
  const shown = text.rows.slice(from, from + most).map((row, at) => {
    const isFirst = isStart && at + from === 0;
    return `${isFirst ? paint("cyan", lead) : indent}${row}`;
  });
  const room = width - text.cursor.column;
  const last = shown.length - 1;
  if (mode.kind === "hint") shown[last] += paint("dim", truncate(mode.hint, room));
  else if (state.text === "" && mode.kind === "idle") shown[last] += paint("dim", truncate(placeholder, room));
  const below = belowPrompt(state, footer, { columns: width, rows: rows - shown.length, colour }, paint);
  return { lines: [...shown, ...below], cursor: { row: text.cursor.row - from, column: text.cursor.column } };
}

const mostLines = 12;
const mostColumns = 1000;

/** An entered line as it stays above; of a long text, which was pasted, the beginning. */
export function enteredText(line: string): string {
  const all = line.split("\n");
  const shown = all.length > mostLines ? all.slice(0, mostLines - 1) : all;
  const rest = all.length - shown.length;
  const text = truncate(shown.join("\n").slice(0, 4 * mostColumns), mostColumns).split("\n");
  const more = rest === 0 ? [] : [`… ${rest.toLocaleString("en")} more lines`];
  return [...text.map((each) => safeIndented(each)), ...more]
    .map((each, at) => `${at === 0 ? "> " : indent}${each}\n`)
    .join("");
}

/** As it was typed, with its spaces. */
function safeIndented(line: string): string {
  const parts = line.replaceAll("\t", tab).trimEnd().split(/( +)/);
  return parts.map((part) => (part.startsWith(" ") ? part : safeLine(part))).join("");
}

/** The lines that can be shown around the cursor: to lay out a long text takes seconds. */
function linesAround({ text, cursor }: Line, most: number): { readonly line: Line; readonly isStart: boolean } {
  let [from, to] = [lineStart({ text, cursor }), lineEnd({ text, cursor })];
  for (let n = 0; n < most && from > 0; n++) from = lineStart({ text, cursor: from - 1 });
  for (let n = 0; n < most && to < text.length; n++) to = lineEnd({ text, cursor: to + 1 });
  return { line: { text: text.slice(from, to), cursor: cursor - from }, isStart: from === 0 };
}

interface TextLayout {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** The text in rows of the terminal. A wide character that does not fit at the end of a row begins the next. */
function layoutText({ text, cursor }: Line, width: number, lead: number): TextLayout {
  const rows: string[] = [];
  let at = 0;
  let found = { row: 0, column: lead };
  let column = lead;
  let row = "";
  const endRow = (): void => {
    rows.push(row);
    row = "";
    column = indent.length;
  };
  for (const line of text.split("\n")) {
    if (at > 0) endRow();
    // Of a long text each character would be looked at again.
    const isPlain = /^[ -~]*$/.test(line);
    for (const character of graphemesOf(line)) {
      const shown = character === "\t" ? tab : character;
      const wide = isPlain ? 1 : displayWidth(shown);
      if (column + wide > width) endRow();
      if (at === cursor) found = { row: rows.length, column };
      row += shown;
      column += wide;
      at += character.length;
    }
    if (at === cursor) {
      if (column >= width) endRow();
      found = { row: rows.length, column };
    }
    at += 1;
  }
  rows.push(row);
  return { rows, cursor: found };
}

function belowPrompt(state: PromptState, footer: string, { columns, rows }: PromptCanvas, paint: Paint): string[] {
  const { mode, notice } = state;
  if (rows < 2) return [];
  if (notice !== undefined) {
    const margins = { lead: indent, indent, breakWords: true };
    const lines = paragraph(notice, { columns, colour: false }, margins).trimEnd().split("\n");
    return lines.slice(0, rows - 1).map((line) => paint("yellow", line));
  }
  if (mode.kind !== "suggesting" && mode.kind !== "completing")
    return footer === "" ? [] : [paint("dim", truncate(footer, columns))];
  const height = Math.min(longestList, Math.max(1, rows - 2));
  const { length } = mode.matches;
  const at = mode.selected ?? 0;
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), length - height));
  const isMore = length > height;
  const position = isMore
    ? [paint("dim", truncate(`${indent}${at + 1} of ${length.toLocaleString("en")}`, columns))]
    : [];
  if (mode.kind === "completing") {
    const values = mode.matches.slice(first, first + height).map((value) => [safeLine(value)]);
    return [...listRows(values, at - first, columns, paint), ...position];
  }
  const rowsOfEntries = mode.matches
    .slice(first, first + height)
    .map(({ name, hint = "", kind, description }) => [
      `/${safeLine(name)}`,
      safeLine(hint),
      safeLine(kind === "own" || kind === "command" ? description : [kind, description].filter(Boolean).join(": ")),
    ]);
  return [
    ...listRows(rowsOfEntries, mode.selected === undefined ? undefined : at - first, columns, paint),
    ...position,
  ];
}

const gap = 2;
/** Below this, a column says nothing. */
const leastColumn = 10;

/** Name, hint and description; where there is no room for all three, the hint, or else the description. */
function listRows(
  rows: readonly (readonly string[])[],
  selected: number | undefined,
  columns: number,
  paint: Paint,
): string[] {
  const widest = (column: number): number => Math.max(0, ...rows.map((row) => displayWidth(row[column] ?? "")));
  const isOne = rows.every((row) => row.length === 1);
  const most = columns - indent.length;
  const nameWidth = Math.min(widest(0), isOne ? most : Math.min(most, Math.max(12, Math.floor(most * 0.4))));
  const room = most - nameWidth - gap;
  const hints = widest(1);
  const hintWidth = hints > 0 && room >= 4 * leastColumn ? Math.min(hints, Math.floor(room * 0.4)) : 0;
  return rows.map(([name = "", hint = "", about = ""], at) => {
    const isSelected = at === selected;
    const head = `${isSelected ? "> " : indent}${padEnd(truncate(name, nameWidth), nameWidth)}`;
    const shownName = isSelected ? paint("cyan", paint("bold", head)) : head;
    if (isOne || room < leastColumn) return shownName.trimEnd();
    const middle = hintWidth === 0 ? "" : `${padEnd(truncate(hint, hintWidth), hintWidth)}${" ".repeat(gap)}`;
    const rest = hintWidth === 0 && hint !== "" ? hint : about;
    const tail = truncate(rest, room - (hintWidth === 0 ? 0 : hintWidth + gap));
    const line = `${" ".repeat(gap)}${middle}${tail}`.trimEnd();
    return line === "" ? shownName.trimEnd() : `${shownName}${isSelected ? line : paint("dim", line)}`;
  });
}
