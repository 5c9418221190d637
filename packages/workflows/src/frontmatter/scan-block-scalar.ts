import { indentOf, type LineCursor, restIsBlank } from "./line-cursor.ts";

const HEADER = /[|>]([-+]?)/y;

/**
 * Reads `|`, `>` and their chomping forms; `from` is where the header stands in the current line.
 * Leaves out what real files do not use: explicit indentation, and folded text with more-indented lines.
 */
export function scanBlockScalar(cursor: LineCursor, from: number, parentIndent: number): string | undefined {
  const header = cursor.lines[cursor.at] ?? "";
  HEADER.lastIndex = from;
  const match = HEADER.exec(header);
  if (match === null || !restIsBlank(header, HEADER.lastIndex)) return undefined;
  cursor.at += 1;

  const block = readBlock(cursor, parentIndent);
  if (block === undefined) return undefined;
  const text = header[from] === "|" ? block.lines.join("\n") : fold(block.lines);
  if (text === undefined) return undefined;
  if (match[1] === "-") return text;
  return match[1] === "+" ? text + "\n".repeat(block.newlinesAfter) : `${text}\n`;
}

interface Block {
  /** Without the common indentation and without the empty lines at the end. */
  readonly lines: readonly string[];
  readonly newlinesAfter: number;
}

function readBlock(cursor: LineCursor, parentIndent: number): Block | undefined {
  const { lines } = cursor;
  const start = cursor.at;
  let at = start;
  while (at < lines.length && indentOf(lines[at]!) === -1) at += 1;
  const indent = at < lines.length ? indentOf(lines[at]!) : -1;
  // No text at all: which empty lines count is a question for the full parser.
  if (indent <= parentIndent) return undefined;

  const content: string[] = [];
  let end = 0;
  for (at = start; at < lines.length; at += 1) {
    const line = lines[at]!;
    const own = indentOf(line);
    if (own === -1 ? line.length > indent : own < indent) {
      if (own === -1) return undefined;
      break;
    }
    content.push(line.slice(indent));
    if (own !== -1) end = content.length;
  }
  cursor.at = at;
  // The last of `lines` is what follows the final newline, so at the end of the text it is not a line of its own.
  const newlinesAfter = Math.max(1, content.length - end + (at < lines.length ? 1 : 0));
  return { lines: content.slice(0, end), newlinesAfter };
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
