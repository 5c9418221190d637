/** Lines `[start, end)` of one text that correspond to `[otherStart, otherEnd)` of another. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly otherStart: number;
  readonly otherEnd: number;
}

/** Each with its line ending, so a missing one at the end of the file is a difference like any other. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Beyond this, two texts have too little in common for a line-by-line diff to help. */
const MOST_EDITS = 2000;

/** The fewest lines that turn `lines` into `other` (Myers, 1986); one hunk for all if they are too many. */
export function diffLines(lines: readonly string[], other: readonly string[]): Hunk[] {
  let first = 0;
  while (first < Math.min(lines.length, other.length) && lines[first] === other[first]) first += 1;
  let [end, otherEnd] = [lines.length, other.length];
  while (end > first && otherEnd > first && lines[end - 1] === other[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  if (end === first && otherEnd === first) return [];
  const whole = { start: first, end, otherStart: first, otherEnd };
  if (end === first || otherEnd === first) return [whole];
  const matches = commonLines(lines.slice(first, end), other.slice(first, otherEnd));
  if (matches === undefined) return [whole];
  const hunks: Hunk[] = [];
  let [start, otherStart] = [first, first];
  for (const [at, otherAt] of [...matches, [end - first, otherEnd - first] as const]) {
    const next = { start, end: at + first, otherStart, otherEnd: otherAt + first };
    if (next.end > start || next.otherEnd > otherStart) hunks.push(next);
    [start, otherStart] = [next.end + 1, next.otherEnd + 1];
  }
  return hunks;
}

type Match = readonly [at: number, otherAt: number];

/** How far paths with a number of edits get on each diagonal; the diagonal `d` is at `d + edits + 1`. */
type Reach = Int32Array;

/** The longest common subsequence as pairs of positions; undefined if it takes too many edits. */
function commonLines(a: readonly string[], b: readonly string[]): Match[] | undefined {
  const trace = traceOf(a, b);
  if (trace === undefined) return undefined;
  const matches: Match[] = [];
  let [at, otherAt] = [a.length, b.length];
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const step = stepOnto(trace[edits]!, at - otherAt, edits);
    while (at > step.at) matches.push([--at, --otherAt]);
    if (step.skipsA) at -= 1;
    else otherAt -= 1;
  }
  while (at > 0) matches.push([--at, --otherAt]);
  return matches.reverse();
}

/** The reach before each edit, up to the one that gets to the end of both. */
function traceOf(a: readonly string[], b: readonly string[]): Reach[] | undefined {
  const trace: Reach[] = [];
  const most = Math.min(a.length + b.length, MOST_EDITS);
  let last: Reach = Int32Array.of(-1, 0, -1);
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(last);
    const reach = new Int32Array(2 * edits + 5).fill(-1);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let at = edits === 0 ? 0 : stepOnto(last, diagonal, edits).at;
      while (at < a.length && at - diagonal < b.length && a[at] === b[at - diagonal]) at += 1;
      reach[diagonal + edits + 2] = at;
      if (at >= a.length && at - diagonal >= b.length) return trace;
    }
    last = reach;
  }
  return undefined;
}

/** The better of the two ways onto a diagonal: past a line of `a` from the left, or past one of `b` from the right. */
function stepOnto(last: Reach, diagonal: number, edits: number): { readonly at: number; readonly skipsA: boolean } {
  const [left = -1, right = -1] = [last[diagonal + edits], last[diagonal + edits + 2]];
  const skipsA = diagonal === edits || (diagonal !== -edits && left >= right);
  return { at: skipsA ? left + 1 : right, skipsA };
}
