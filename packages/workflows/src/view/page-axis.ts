// Places moments on a line from 0 to 100. Hours without events would leave no room for the rest, so long gaps are shortened and
// marked.
import { shareOf } from "./page-amounts.ts";

/** Gaps up to this length are drawn to scale. */
const longestDrawn = 15 * 60_000;
/** The drawn length of a longer gap, as a share of the rest. */
const breakShare = 0.04;

export interface Axis {
  /** In percent. */
  at(time: number): number;
  /** Shortened gaps; `left` and `width` in percent. */
  readonly breaks: readonly { readonly left: number; readonly width: number; readonly ms: number }[];
}

/** `times`: when everything happened. */
export function axisOf(times: readonly number[]): Axis {
  const sorted = Float64Array.from(new Set(times)).sort();
  const pieces: { readonly from: number; readonly to: number; readonly start: number; readonly length: number }[] = [];
  const gaps = Array.from(sorted.subarray(1), (to, index) => ({ from: sorted[index]!, to }));
  const drawn = gaps.filter(({ from, to }) => to - from <= longestDrawn);
  const shown = drawn.reduce((sum, { from, to }) => sum + to - from, 0);
  const short = gaps.length > drawn.length ? Math.max(shown * breakShare, 1000) : 0;
  let total = 0;
  for (const { from, to } of gaps) {
    const isShort = to - from > longestDrawn;
    const last = pieces.at(-1);
    const length = isShort ? short : to - from;
    // What is drawn to scale is one piece, however many events it has.
    if (!isShort && last !== undefined && last.length === last.to - last.from) {
      pieces[pieces.length - 1] = { ...last, to, length: to - last.from };
    } else pieces.push({ from, to, start: total, length });
    total += length;
  }
  return {
    at: (time) => {
      const piece = pieces.find(({ to }) => time < to);
      if (piece === undefined) return 100 * shareOf(total, total);
      const { from, to, start, length } = piece;
      return 100 * shareOf(start + length * shareOf(time - from, to - from), total);
    },
    breaks: pieces
      .filter(({ from, to, length }) => length !== to - from)
      .map(({ from, to, start, length }) => ({
        left: 100 * shareOf(start, total),
        width: 100 * shareOf(length, total),
        ms: to - from,
      })),
  };
}
