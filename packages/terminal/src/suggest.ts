import { escapeForTerminal } from "./hidden-characters.ts";

/** More suggestions than this would not be read. */
const maxSuggestions = 3;
/** In characters, of a name that was not found. */
const longestShown = 80;

/**
 * The candidates that the user may have meant, best first: those with few typing errors (a missing, additional, wrong
 * or swapped letter each), and those that continue what was typed. If there are none, those that begin with the same
 * three letters may have one error more: "ralf" is "ralph". Case does not count. Equally good candidates keep their
 * order.
 *
 * @example
 * didYouMean("comit", ["commit", "compact", "clear"]); // ["commit"]
 */
export function didYouMean(name: string, candidates: Iterable<string>): string[] {
  const typed = name.toLowerCase();
  const all = [...candidates];
  // One error in three letters, at most three: more would suggest anything.
  const limit = typed.length < 2 ? 0 : Math.min(3, Math.max(1, Math.floor(typed.length / 3)));
  const near = nearest(typed, all, limit);
  if (near.length > 0 || typed.length < sureStart) return near;
  const begunAlike = all.filter((candidate) => commonPrefix(typed, candidate.toLowerCase()) >= sureStart);
  return nearest(typed, begunAlike, limit + 1);
}

/** This many letters in common at the start make up for one more error behind them. */
const sureStart = 3;

function nearest(typed: string, candidates: readonly string[], limit: number): string[] {
  const found: { readonly candidate: string; readonly score: number }[] = [];
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const errors = editDistance(typed, known, limit);
    // To stop typing early counts as half an error.
    const isBegun = typed.length >= 2 && known.startsWith(typed);
    if (errors === undefined && !isBegun) continue;
    const counted = isBegun ? Math.min(errors ?? 1, 0.5) : (errors ?? 0);
    // Less than one error: it only decides between candidates with the same number of them.
    const closeness = commonPrefix(typed, known) / (Math.max(typed.length, known.length) + 1);
    found.push({ candidate, score: counted - closeness });
  }
  found.sort((a, b) => a.score - b.score);
  return [...new Set(found.map(({ candidate }) => candidate))].slice(0, maxSuggestions);
}

/**
 * @example
 * formatNotFound("Skill", "comit", ["commit"]); // 'Skill not found: "comit" (did you mean "commit"?)'
 */
export function formatNotFound(what: string, name: string, candidates: Iterable<string>): string {
  // A whole text may have been taken for a name. Suggestions stay whole, to be copied.
  const characters = [...name.slice(0, 2 * (longestShown + 1))];
  const shown = characters.length > longestShown ? `${characters.slice(0, longestShown).join("")}…` : name;
  const [best] = didYouMean(name, candidates);
  const message = `${what} not found: "${escapeForTerminal(shown, { singleLine: true })}"`;
  if (best === undefined) return message;
  return `${message} (did you mean "${escapeForTerminal(best, { singleLine: true })}"?)`;
}

function commonPrefix(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && a.charCodeAt(shared) === b.charCodeAt(shared)) shared += 1;
  return shared;
}

/** Damerau–Levenshtein distance in which no letter takes part in two errors; `undefined` above `limit`. */
export function editDistance(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined;
  // Most candidates differ in a short stretch or everywhere; neither needs the whole table.
  const start = commonPrefix(a, b);
  let [endOfA, endOfB] = [a.length, b.length];
  while (endOfA > start && endOfB > start && a.charCodeAt(endOfA - 1) === b.charCodeAt(endOfB - 1)) {
    endOfA -= 1;
    endOfB -= 1;
  }
  const [left, right] = [a.slice(start, endOfA), b.slice(start, endOfB)];
  // Only cells within `limit` of the diagonal count; anything above `limit` is as good as `limit + 1`.
  const far = limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, j) => Math.min(j, far));
  for (let i = 1; i <= left.length; i++) {
    const row = new Array<number>(right.length + 1).fill(far);
    row[0] = Math.min(i, far);
    let best = row[0];
    for (let j = Math.max(1, i - limit); j <= Math.min(right.length, i + limit); j++) {
      const same = left[i - 1] === right[j - 1];
      const isSwap = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwap ? (beforeLast[j - 2] ?? far) + 1 : far;
      const replaced = (last[j - 1] ?? far) + (same ? 0 : 1);
      row[j] = Math.min(replaced, swapped, (last[j] ?? far) + 1, (row[j - 1] ?? far) + 1);
      best = Math.min(best, row[j] ?? far);
    }
    if (best > limit) return undefined;
    beforeLast = last;
    last = row;
  }
  const distance = last[right.length] ?? far;
  return distance > limit ? undefined : distance;
}
