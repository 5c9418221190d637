import { diffLines, type Hunk } from "./diff-lines.ts";

export type Merge =
  | { readonly kind: "clean"; readonly text: string }
  /** `lines` are the places in `ours` (1-based) where both sides changed the same. */
  | { readonly kind: "conflict"; readonly lines: readonly number[] };

/**
 * What two people made of one text, put together line by line. Changes that touch each other without being the same are a
 * conflict, as in git. Every line of `ours` that stays keeps its bytes, its line end included, and so does the byte order
 * mark. Where an editor has changed all line ends without being asked, that is no change of the lines.
 *
 * @example
 * mergeTexts("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"); // { kind: "clean", text: "A\nb\nC\n" }
 */
export function mergeTexts(base: string, ours: string, theirs: string): Merge {
  const [mine, other] = [sideOf(base, ours), sideOf(base, theirs)];
  const regions = regionsOf(diffLines(mine.base, mine.compared), diffLines(other.base, other.compared));
  const arriving = arrivingLines(base, mine, other);
  let merged = ours.startsWith(MARK) ? MARK : "";
  const conflicts: number[] = [];
  let at = 0;
  for (const { ours: here, theirs: there, ...region } of regions) {
    merged += textOf(mine.lines, { start: at, end: here.start });
    if (isUnchanged(other, there, region) || isAlike(mine, here, other, there)) merged += textOf(mine.lines, here);
    else if (isUnchanged(mine, here, region)) merged += textOf(arriving, there);
    else conflicts.push(here.start + 1);
    at = here.end;
  }
  if (conflicts.length > 0) return { kind: "conflict", lines: conflicts };
  return { kind: "clean", text: merged + textOf(mine.lines, { start: at, end: mine.lines.length }) };
}

const MARK = "\ufeff";

/** One of the two texts, beside the base. */
interface Side {
  readonly lines: readonly string[];
  readonly ends: Ends;
  /** The lines, and those of the base, as they are compared. */
  readonly compared: readonly string[];
  readonly base: readonly string[];
}

/** Where the line ends are all of one kind they are a habit of the editor. Where they are not, each was written so. */
function sideOf(base: string, text: string): Side {
  const [lines, baseLines] = [splitLines(text), splitLines(base)];
  const ends = endsOf(text);
  if (ends === "mixed") return { lines, ends, compared: lines, base: baseLines };
  return { lines, ends, compared: lines.map(withLf), base: baseLines.map(withLf) };
}

/** Lines of theirs as they are put into ours: with the line ends that all of ours have, unless theirs are on purpose. */
function arrivingLines(base: string, ours: Side, theirs: Side): readonly string[] {
  const isOnPurpose = theirs.ends === "mixed" && ours.ends === endsOf(base);
  if (isOnPurpose || ours.ends === "mixed" || ours.ends === "none") return theirs.lines;
  const lines = theirs.lines.map(withLf);
  return ours.ends === "lf" ? lines : lines.map((line) => line.replace(/\n$/, "\r\n"));
}

/** Each with its line end, so that a missing one at the end of the file is a difference like any other. */
function splitLines(text: string): string[] {
  return text.replace(MARK_AT_START, "").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

const MARK_AT_START = new RegExp(`^${MARK}`);

type Ends = "lf" | "crlf" | "mixed" | "none";

function endsOf(text: string): Ends {
  const [hasCrlf, hasLf] = [/\r\n/.test(text), /(?<!\r)\n/.test(text)];
  if (hasCrlf && hasLf) return "mixed";
  return hasCrlf ? "crlf" : hasLf ? "lf" : "none";
}

function withLf(line: string): string {
  return line.replace(/\r\n$/, "\n");
}

function isUnchanged({ compared, base }: Side, { start, end }: Span, region: Span): boolean {
  return same(compared.slice(start, end), base.slice(region.start, region.end));
}

function isAlike(ours: Side, here: Span, theirs: Side, there: Span): boolean {
  const [ourPart, theirPart] = [ours.lines.slice(here.start, here.end), theirs.lines.slice(there.start, there.end)];
  return same(ourPart.map(withLf), theirPart.map(withLf));
}

function textOf(lines: readonly string[], { start, end }: Span): string {
  return lines.slice(start, end).join("");
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
