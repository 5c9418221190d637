import type { Span } from "./tree.ts";

/** 1-based, as editors show it: a tab is one column, CRLF one line break, a byte order mark no column at all. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

const LF = 0x0a;
const CR = 0x0d;

/** Turns many offsets of one text into positions without rereading the text each time. */
export function positionsOf(text: string): (offset: number) => TextPosition {
  const lineStarts = [text.startsWith("\ufeff") ? 1 : 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === LF || (code === CR && text.charCodeAt(i + 1) !== LF)) lineStarts.push(i + 1);
  }
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(offset - lineStarts[low]!, 0) + 1 };
  };
}

/** `opencode.json:3:14`, the form terminals and editors turn into a link. */
export function placeOf(text: string, span: Pick<Span, "start">, file: string | undefined): string {
  const { line, column } = positionsOf(text)(span.start);
  return `${file ?? "<text>"}:${line}:${column}`;
}
