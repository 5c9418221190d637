import { diffLines, type Hunk } from "./diff-lines.ts";

export type Merge =
  | { readonly kind: "clean"; readonly text: string }
  /** `lines` are the places in `ours` (1-based) where both sides changed the same. */
  | { readonly kind: "conflict"; readonly lines: readonly number[] };

/**
 * What two people made of one text, put together line by line. Changes that touch each other without being the same are a
 * conflict, as in git. Line ends and byte order mark stay as they are in `ours`.
 *
 * @example
 * mergeTexts("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"); // { kind: "clean", text: "A\nb\nC\n" }
 */
export function mergeTexts(base: string, ours: string, theirs: string): Merge {
  const [baseLines, ourLines, theirLines] = [base, likeIn(base, ours), likeIn(base, theirs)].map(splitLines) as Lines3;
  const regions = regionsOf(diffLines(baseLines, ourLines), diffLines(baseLines, theirLines));
  let merged = "";
  const conflicts: number[] = [];
  let at = 0;
  for (const { start, end, ours: mine, theirs: other } of regions) {
    merged += baseLines.slice(at, start).join("");
    const [ourPart, theirPart] = [ourLines.slice(mine.start, mine.end), theirLines.slice(other.start, other.end)];
    const basePart = baseLines.slice(start, end);
    if (same(theirPart, basePart) || same(ourPart, theirPart)) merged += ourPart.join("");
    else if (same(ourPart, basePart)) merged += theirPart.join("");
    else conflicts.push(mine.start + 1);
    at = end;
  }
  if (conflicts.length > 0) return { kind: "conflict", lines: conflicts };
  return { kind: "clean", text: likeIn(ours, merged + baseLines.slice(at).join("")) };
}

type Lines3 = [string[], string[], string[]];

/** Each with its line end, so that a missing one at the end of the file is a difference like any other. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The text with the line ends and the byte order mark that `model` has: editors change both without being asked. */
function likeIn(model: string, text: string): string {
  const hasCrlf = /\r\n/.test(model) && !/[^\r]\n|^\n/.test(model);
  const hasLf = /\n/.test(model) && !/\r\n/.test(model);
  const lines = hasCrlf ? text.replace(/\r?\n/g, "\r\n") : hasLf ? text.replace(/\r\n/g, "\n") : text;
  const bare = lines.replace(/^\ufeff/, "");
  return model.startsWith("\ufeff") ? `\ufeff${bare}` : bare;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Lines of the base that one or both sides changed, and what stands there now. */
interface Region extends Span {
  readonly ours: Span;
  readonly theirs: Span;
}

/** Hunks that overlap or touch become one region. */
function regionsOf(ours: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const regions: Region[] = [];
  let [ourShift, theirShift] = [0, 0];
  for (const { start, end } of touching([...ours, ...theirs])) {
    const within = (hunk: Hunk): boolean => start <= hunk.start && hunk.end <= end;
    const [ourEnd, theirEnd] = [ourShift + growth(ours.filter(within)), theirShift + growth(theirs.filter(within))];
    regions.push({
      start,
      end,
      ours: { start: start + ourShift, end: end + ourEnd },
      theirs: { start: start + theirShift, end: end + theirEnd },
    });
    [ourShift, theirShift] = [ourEnd, theirEnd];
  }
  return regions;
}

function touching(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || start > last.end) joined.push({ start, end });
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return joined;
}

function growth(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { start, end, otherStart, otherEnd }) => sum + (otherEnd - otherStart) - (end - start), 0);
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
