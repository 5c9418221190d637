import type { Span } from "./tree.ts";

/** Replaces a span of the text; an empty span inserts. */
export interface Splice extends Span {
  readonly text: string;
}

export function insertAt(offset: number, text: string): Splice {
  return { start: offset, end: offset, text };
}

export function cut(start: number, end: number): Splice {
  return { start, end, text: "" };
}

/** Splices may come in any order but may not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => a.start - b.start);
  let result = "";
  let from = 0;
  for (const splice of ordered) {
    result += text.slice(from, splice.start) + splice.text;
    from = splice.end;
  }
  return result + text.slice(from);
}
