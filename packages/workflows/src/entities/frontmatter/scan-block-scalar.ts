import { endOfLine, type LineCursor, moveTo, restIsBlank, skipSpaces } from "./line-cursor.ts";

const HEADER = /[|>]([-+]?)/y;

/**
 * Reads `|`, `>` and their chomping forms; `from` is where the header stands in the current line.
 * Leaves out what real files do not use: explicit indentation, and folded text with more-indented lines.
 */
export function scanBlockScalar(cursor: LineCursor, from: number, parentIndent: number): string | undefined {
  HEADER.lastIndex = from;
  const match = HEADER.exec(cursor.text);
  if (match === null || !restIsBlank(cursor.text, HEADER.lastIndex, cursor.end)) return undefined;

  const block = readBlock(cursor, cursor.end + 1, parentIndent);
  if (block === undefined) return undefined;
  const text = cursor.text[from] === "|" ? block.lines.join("\n") : fold(block.lines);
  if (text === undefined) return undefined;
  moveTo(cursor, block.next);
  if (match[1] === "-") return text;
  return match[1] === "+" ? text + "\n".repeat(block.newlinesAfter) : `${text}\n`;
}

interface Block {
  /** Without the common indentation and without the empty lines at the end. */
  readonly lines: readonly string[];
  readonly newlinesAfter: number;
  /** Where the line after the block starts. */
  readonly next: number;
}

function readBlock({ text }: LineCursor, start: number, parentIndent: number): Block | undefined {
  const indent = indentOfText(text, start);
  // No text at all: which empty lines count is a question for the full parser.
  if (indent <= parentIndent) return undefined;

  const lines: string[] = [];
  let said = 0;
  let at = start;
  while (at <= text.length) {
    const end = endOfLine(text, at);
    const first = skipSpaces(text, at);
    const isBlank = first === end;
    // White space that reaches into the text is part of it, to the full parser.
    if (isBlank && end - at > indent) return undefined;
    if (!isBlank && first - at < indent) break;
    lines.push(text.slice(Math.min(at + indent, end), end));
    if (!isBlank) said = lines.length;
    at = end + 1;
  }
  // What follows the final newline is not a line of its own.
  const newlinesAfter = Math.max(1, lines.length - said + (at <= text.length ? 1 : 0));
  return { lines: lines.slice(0, said), newlinesAfter, next: at };
}

/** How many spaces the first line with text starts with; -1 if there is none. */
function indentOfText(text: string, start: number): number {
  for (let at = start; at <= text.length; at = endOfLine(text, at) + 1) {
    const first = skipSpaces(text, at);
    if (first < endOfLine(text, at)) return first - at;
  }
  return -1;
}

function fold(lines: readonly string[]): string | undefined {
  let text = "";
  let separator = "";
  for (const line of lines) {
    if (line[0] === " ") return undefined;
    if (line === "") {
      if (separator === "\n") text += "\n";
      else separator = "\n";
    } else {
      text += separator + line;
      separator = " ";
    }
  }
  return text;
}
