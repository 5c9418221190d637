import { escapeForTerminal } from "./hidden-characters.ts";

/** Nobody reads more suggestions than this. */
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
  const near = nearest(typed, all, maxErrors(typed));
  if (near.length > 0 || typed.length < sureStart) return near;
  const begunAlike = all.filter((candidate) => commonPrefix(typed, candidate.toLowerCase()) >= sureStart);
  return nearest(typed, begunAlike, maxErrors(typed) + 1);
}

/** So many letters in common at the start make up for one more error behind them. */
const sureStart = 3;

function nearest(typed: string, candidates: readonly string[], limit: number): string[] {
  const found: { readonly candidate: string; readonly score: number }[] = [];
  for (const candidate of candidates) {
    const score = scoreOf(typed, candidate.toLowerCase(), limit);
    if (score !== undefined) found.push({ candidate, score });
  }
  found.sort((a, b) => a.score - b.score);
  return [...new Set(found.map(({ candidate }) => candidate))].slice(0, maxSuggestions);
}

/**
 * @example
 * formatNotFound("Skill", "comit", ["commit"]); // 'Skill not found: "comit" (did you mean "commit"?)'
 */
export function formatNotFound(what: string, name: string, candidates: Iterable<string>): string {
  const [best] = didYouMean(name, candidates);
  const message = `${what} not found: ${quoted(shortened(name))}`;
  return best === undefined ? message : `${message} (did you mean ${quoted(best)}?)`;
}

/** A whole text may have been taken for a name. Suggestions stay whole, to be copied. */
function shortened(name: string): string {
  const characters = [...name.slice(0, 2 * (longestShown + 1))];
  return characters.length > longestShown ? `${characters.slice(0, longestShown).join("")}…` : name;
}

function quoted(name: string): string {
  return `"${escapeForTerminal(name, { singleLine: true })}"`;
}

/** One error in three letters, at most three: more would suggest anything. */
function maxErrors(typed: string): number {
  return typed.length < 2 ? 0 : Math.min(3, Math.max(1, Math.floor(typed.length / 3)));
}

/** Lower is better; `undefined` is out of the question. To stop typing early counts as half an error. */
function scoreOf(typed: string, candidate: string, limit: number): number | undefined {
  const errors = editDistance(typed, candidate, limit);
  const continues = typed.length >= 2 && candidate.startsWith(typed);
  if (!continues) return errors === undefined ? undefined : errors - closeness(typed, candidate);
  return Math.min(errors ?? 1, 0.5) - closeness(typed, candidate);
}

/** Less than one error: it only decides between candidates with the same number of them. */
function closeness(typed: string, candidate: string): number {
  return commonPrefix(typed, candidate) / (Math.max(typed.length, candidate.length) + 1);
}

function commonPrefix(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && a.charCodeAt(shared) === b.charCodeAt(shared)) shared += 1;
  return shared;
}

/** Damerau–Levenshtein distance in which no letter takes part in two errors; `undefined` above `limit`. */
function editDistance(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined;
  // Most candidates differ in a short stretch or everywhere; neither needs the whole table.
  const start = commonPrefix(a, b);
  let [endOfA, endOfB] = [a.length, b.length];
  while (endOfA > start && endOfB > start && a.charCodeAt(endOfA - 1) === b.charCodeAt(endOfB - 1)) {
    endOfA -= 1;
    endOfB -= 1;
  }
  const distance = distanceNearDiagonal(a.slice(start, endOfA), b.slice(start, endOfB), limit);
  return distance > limit ? undefined : distance;
}

/** Looks only at cells within `limit` of the diagonal; anything above `limit` may come back as `limit + 1`. */
function distanceNearDiagonal(a: string, b: string, limit: number): number {
  const far = limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => Math.min(j, far));
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(far);
    row[0] = Math.min(i, far);
    let best = row[0];
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const same = a[i - 1] === b[j - 1];
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (beforeLast[j - 2] ?? far) + 1 : far;
      const replaced = (last[j - 1] ?? far) + (same ? 0 : 1);
      row[j] = Math.min(replaced, swapped, (last[j] ?? far) + 1, (row[j - 1] ?? far) + 1);
      best = Math.min(best, row[j] ?? far);
    }
    if (best > limit) return far;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? far;
}
