import { diffLines, type Hunk } from "../../delivery/merge/diff-lines.ts";

export interface DiffLine {
  readonly mark: " " | "-" | "+";
  /** Without its line end. */
  readonly text: string;
  /** The last line of a text that does not end it. */
  readonly isUnended?: true;
}

/** Some changed lines with those around them. Positions are 1-based; of no lines it is the line before them. */
export interface DiffHunk {
  readonly before: { readonly start: number; readonly length: number };
  readonly after: { readonly start: number; readonly length: number };
  readonly lines: readonly DiffLine[];
}

const CONTEXT = 3;

/** What turns one text into another, as `diff -u` shows it. */
export function unifiedDiff(before: string, after: string): DiffHunk[] {
  const [lines, other] = [splitLines(before), splitLines(after)];
  return grouped(diffLines(lines, other)).map((hunks) => printed(hunks, lines, other));
}

/** With its line end each, so that a changed or missing one is a difference. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Changes so near to each other that the lines around them would meet are shown as one. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    const end = last?.at(-1)?.end;
    if (last !== undefined && end !== undefined && hunk.start - end <= 2 * CONTEXT) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function printed(hunks: readonly Hunk[], lines: readonly string[], other: readonly string[]): DiffHunk {
  const [first, last] = [hunks[0]!, hunks.at(-1)!];
  const lead = Math.min(CONTEXT, first.start);
  const [start, otherStart] = [first.start - lead, first.otherStart - lead];
  const tail = Math.min(CONTEXT, lines.length - last.end);
  const shown: DiffLine[] = [];
  let at = start;
  for (const hunk of hunks) {
    shown.push(...marked(" ", lines.slice(at, hunk.start)));
    shown.push(...marked("-", lines.slice(hunk.start, hunk.end)));
    shown.push(...marked("+", other.slice(hunk.otherStart, hunk.otherEnd)));
    at = hunk.end;
  }
  shown.push(...marked(" ", lines.slice(at, at + tail)));
  return {
    before: span(start, last.end + tail),
    after: span(otherStart, last.otherEnd + tail),
    lines: shown,
  };
}

function span(start: number, end: number): DiffHunk["before"] {
  return { start: end > start ? start + 1 : start, length: end - start };
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): DiffLine[] {
  return lines.map((line) =>
    line.endsWith("\n") ? { mark, text: line.slice(0, -1) } : { mark, text: line, isUnended: true },
  );
}
