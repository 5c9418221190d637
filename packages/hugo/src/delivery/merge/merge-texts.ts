import { diffLines, type Hunk, splitLines } from "./diff-lines.ts";

export type Merge =
  | { readonly kind: "clean"; readonly text: string }
  /** `lines` are the places in `ours` (1-based) where both sides changed the same. */
  | { readonly kind: "conflict"; readonly lines: readonly number[] };

const MARK = "\ufeff";

/**
 * Merges two versions of one text line by line. Adjacent changes that are not the same conflict, as in git. Every
 * remaining line of `ours` keeps its bytes, including its line ending, and so does the byte order mark. If an editor
 * has changed all line endings, that does not count as a change to the lines.
 *
 * @example
 * mergeTexts("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"); // { kind: "clean", text: "A\nb\nC\n" }
 */
export function mergeTexts(base: string, ours: string, theirs: string): Merge {
  const [mine, other] = [sideOf(base, ours), sideOf(base, theirs)];
  // Their lines get our line endings, unless their endings are deliberate.
  const isOnPurpose = other.ends === "mixed" && mine.ends === endsOf(base);
  let theirLines = other.lines;
  if (!isOnPurpose && (mine.ends === "lf" || mine.ends === "crlf")) {
    const end = mine.ends === "lf" ? "\n" : "\r\n";
    theirLines = other.lines.map((line) => withLf(line).replace(/\n$/, end));
  }
  const textOf = (lines: readonly string[], { start, end }: Span): string => lines.slice(start, end).join("");

  let merged = ours.startsWith(MARK) ? MARK : "";
  const conflicts: number[] = [];
  let at = 0;
  const regions = regionsOf(diffLines(mine.base, mine.compared), diffLines(other.base, other.compared));
  for (const { ours: here, theirs: there, ...region } of regions) {
    merged += textOf(mine.lines, { start: at, end: here.start });
    const [ourPart, theirPart] = [textOf(mine.lines, here), textOf(other.lines, there)];
    const isAlike = ourPart.replaceAll("\r\n", "\n") === theirPart.replaceAll("\r\n", "\n");
    const theyLeftIt = textOf(other.compared, there) === textOf(other.base, region);
    const weLeftIt = textOf(mine.compared, here) === textOf(mine.base, region);
    if (theyLeftIt || isAlike) merged += ourPart;
    else if (weLeftIt) merged += textOf(theirLines, there);
    else conflicts.push(here.start + 1);
    at = here.end;
  }
  if (conflicts.length > 0) return { kind: "conflict", lines: conflicts };
  return { kind: "clean", text: merged + textOf(mine.lines, { start: at, end: mine.lines.length }) };
}

/** One of the two texts, compared with the base. */
interface Side {
  readonly lines: readonly string[];
  readonly ends: ReturnType<typeof endsOf>;
  /** The lines, and those of the base, as they are compared. */
  readonly compared: readonly string[];
  readonly base: readonly string[];
}

/** Uniform line endings are the editor's choice. Mixed ones were each written deliberately. */
function sideOf(baseText: string, text: string): Side {
  const mark = new RegExp(`^${MARK}`);
  const [lines, base] = [splitLines(text.replace(mark, "")), splitLines(baseText.replace(mark, ""))];
  const ends = endsOf(text);
  if (ends === "mixed") return { lines, ends, compared: lines, base };
  return { lines, ends, compared: lines.map(withLf), base: base.map(withLf) };
}

function endsOf(text: string): "lf" | "crlf" | "mixed" | "none" {
  const [hasCrlf, hasLf] = [/\r\n/.test(text), /(?<!\r)\n/.test(text)];
  if (hasCrlf && hasLf) return "mixed";
  return hasCrlf ? "crlf" : hasLf ? "lf" : "none";
}

function withLf(line: string): string {
  return line.replace(/\r\n$/, "\n");
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Lines of the base that one or both sides changed, and what replaced them. */
interface Region extends Span {
  readonly ours: Span;
  readonly theirs: Span;
}

/** Hunks that overlap or touch become one region. */
function regionsOf(ours: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const joined: Span[] = [];
  for (const { start, end } of [...ours, ...theirs].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || start > last.end) joined.push({ start, end });
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  const regions: Region[] = [];
  let [ourShift, theirShift] = [0, 0];
  for (const { start, end } of joined) {
    /** How many lines a side gained. */
    const growth = (hunks: readonly Hunk[]): number =>
      hunks
        .filter((hunk) => start <= hunk.start && hunk.end <= end)
        .reduce((sum, hunk) => sum + (hunk.otherEnd - hunk.otherStart) - (hunk.end - hunk.start), 0);
    const [ourEnd, theirEnd] = [ourShift + growth(ours), theirShift + growth(theirs)];
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
