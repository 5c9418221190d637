/** Lines `[start, end)` of one text that stand in the place of `[otherStart, otherEnd)` of another. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly otherStart: number;
  readonly otherEnd: number;
}

/** Beyond it two texts have too little in common for a line by line account to help anybody. */
const MOST_EDITS = 2000;

/** The fewest lines that turn `lines` into `other` (Myers, 1986); one hunk for all if they are too many. */
export function diffLines(lines: readonly string[], other: readonly string[]): Hunk[] {
  let start = 0;
  while (start < Math.min(lines.length, other.length) && lines[start] === other[start]) start += 1;
  let [end, otherEnd] = [lines.length, other.length];
  while (end > start && otherEnd > start && lines[end - 1] === other[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  if (end === start && otherEnd === start) return [];
  const whole = { start, end, otherStart: start, otherEnd };
  if (end === start || otherEnd === start) return [whole];
  const matches = commonLines(lines.slice(start, end), other.slice(start, otherEnd));
  if (matches === undefined) return [whole];
  return between(matches, end - start, otherEnd - start).map((hunk) => shifted(hunk, start));
}

type Match = readonly [at: number, otherAt: number];

/** How far paths with a number of edits get on each diagonal; the diagonal `d` is at `d + edits + 1`. */
type Reach = Int32Array;

/** The longest common subsequence as pairs of positions. */
function commonLines(a: readonly string[], b: readonly string[]): Match[] | undefined {
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
      if (at >= a.length && at - diagonal >= b.length) return walkBack(trace, a.length, b.length);
    }
    last = reach;
  }
  return undefined;
}

/** The better of the two ways onto a diagonal: past a line of `a` from the left, or of `b` from the right. */
function stepOnto(last: Reach, diagonal: number, edits: number): { readonly at: number; readonly skipsA: boolean } {
  const [left = -1, right = -1] = [last[diagonal + edits], last[diagonal + edits + 2]];
  const skipsA = diagonal === edits || (diagonal !== -edits && left >= right);
  return { at: skipsA ? left + 1 : right, skipsA };
}

function walkBack(trace: readonly Reach[], atEnd: number, otherEnd: number): Match[] {
  const matches: Match[] = [];
  let [at, otherAt] = [atEnd, otherEnd];
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const step = stepOnto(trace[edits]!, at - otherAt, edits);
    while (at > step.at) matches.push([--at, --otherAt]);
    if (step.skipsA) at -= 1;
    else otherAt -= 1;
  }
  while (at > 0) matches.push([--at, --otherAt]);
  return matches.reverse();
}

function between(matches: readonly Match[], length: number, otherLength: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [start, otherStart] = [0, 0];
  for (const [end, otherEnd] of [...matches, [length, otherLength] as const]) {
    if (end > start || otherEnd > otherStart) hunks.push({ start, end, otherStart, otherEnd });
    [start, otherStart] = [end + 1, otherEnd + 1];
  }
  return hunks;
}

function shifted({ start, end, otherStart, otherEnd }: Hunk, by: number): Hunk {
  return { start: start + by, end: end + by, otherStart: otherStart + by, otherEnd: otherEnd + by };
}
