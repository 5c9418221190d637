// A text with a cursor, and what editing keys do to it. The cursor never stands within a character, however many code
// points it has.
import { graphemesOf } from "@atomic/terminal/width";

export interface Line {
  readonly text: string;
  /** In UTF-16 units, as everything in JavaScript. */
  readonly cursor: number;
}

export interface Cut {
  readonly line: Line;
  /** What was removed. */
  readonly removed: string;
}

export function insert({ text, cursor }: Line, added: string): Line {
  const before = text.slice(0, cursor) + added;
  return settle(before + text.slice(cursor), before.length);
}

/** Without what is between two positions; the cursor goes there. */
export function cut({ text }: Line, from: number, to: number): Cut {
  return { line: settle(text.slice(0, from) + text.slice(to), from), removed: text.slice(from, to) };
}

/** Characters can join where text was inserted or removed: the cursor then goes behind them. */
export function settle(text: string, cursor: number): Line {
  const from = lineStart({ text, cursor });
  return { text, cursor: isBoundary(text, from, cursor) ? cursor : nextCharacter({ text, cursor }) };
}

function isBoundary(text: string, from: number, cursor: number): boolean {
  if (cursor <= from || cursor >= text.length) return true;
  let at = from;
  for (const character of graphemesOf(lineFrom(text, from))) {
    at += character.length;
    if (at >= cursor) return at === cursor;
  }
  return true;
}

/** The rest of the line that begins here, without its line break. */
function lineFrom(text: string, from: number): string {
  const end = text.indexOf("\n", from);
  return text.slice(from, end === -1 ? undefined : end);
}

export function previousCharacter({ text, cursor }: Line): number {
  if (cursor === 0) return 0;
  const from = lineStart({ text, cursor });
  if (from === cursor) return cursor - 1;
  let [before, at] = [from, from];
  for (const character of graphemesOf(text.slice(from, cursor))) [before, at] = [at, at + character.length];
  return before;
}

/** Also from within a character, to its end. */
export function nextCharacter({ text, cursor }: Line): number {
  if (cursor >= text.length) return text.length;
  if (text[cursor] === "\n") return cursor + 1;
  const from = lineStart({ text, cursor });
  let at = from;
  for (const character of graphemesOf(lineFrom(text, from))) {
    at += character.length;
    if (at > cursor) return at;
  }
  return at;
}

/** To the beginning of this word, or of the one before. */
export function previousWord({ text, cursor }: Line): number {
  const before = text.slice(0, cursor);
  return before.length - (/[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u.exec(before)?.[0].length ?? 0);
}

export function nextWord({ text, cursor }: Line): number {
  return cursor + (/^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

/** To the beginning of this word as a shell has it: up to a space. */
export function previousSpace({ text, cursor }: Line): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

export function lineStart({ text, cursor }: Line): number {
  // A search from before the beginning would look at the first character.
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: Line): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

/** The same column in the line above or below; undefined if there is none. */
export function verticalMove(line: Line, by: -1 | 1): number | undefined {
  const start = lineStart(line);
  const column = line.cursor - start;
  if (by === -1) {
    if (start === 0) return undefined;
    const above = lineStart({ ...line, cursor: start - 1 });
    return settle(line.text, Math.min(above + column, start - 1)).cursor;
  }
  const end = lineEnd(line);
  if (end === line.text.length) return undefined;
  return settle(line.text, Math.min(end + 1 + column, lineEnd({ ...line, cursor: end + 1 }))).cursor;
}
