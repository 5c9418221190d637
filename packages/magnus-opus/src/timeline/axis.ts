// Places moments on a line from 0 to 100, and draws bars and curves with characters. Hours without events would leave no room
// for the rest, so long gaps are shortened and marked.
import { money, shareOf, tokens } from "./amounts.ts";
import type { CostPoint } from "./timeline.ts";

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
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((to, index) => ({ from: sorted[index]!, to }));
  const drawn = gaps.filter(({ from, to }) => to - from <= longestDrawn);
  const shown = drawn.reduce((sum, { from, to }) => sum + to - from, 0);
  const short = gaps.length > drawn.length ? Math.max(shown * breakShare, 1000) : 0;
  let total = 0;
  const pieces = gaps.map(({ from, to }) => {
    const length = to - from <= longestDrawn ? to - from : short;
    total += length;
    return { from, to, start: total - length, length };
  });
  return {
    at: (time) => {
      const piece = pieces.find(({ to }) => time < to);
      if (piece === undefined) return 100 * shareOf(total, total);
      const { from, to, start, length } = piece;
      return 100 * shareOf(start + length * shareOf(time - from, to - from), total);
    },
    breaks: pieces
      .filter(({ from, to }) => to - from > longestDrawn)
      .map(({ from, to, start, length }) => ({
        left: 100 * shareOf(start, total),
        width: 100 * shareOf(length, total),
        ms: to - from,
      })),
  };
}

/** A bar as wide as its duration, at least one character. `from` and `to` in percent. */
export function barOf(from: number, to: number, width: number): string {
  const start = Math.min(width - 1, Math.floor((from * width) / 100));
  const length = Math.max(1, Math.round((to * width) / 100) - start);
  return "·".repeat(start) + "█".repeat(length) + "·".repeat(width - start - length);
}

const levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** A curve of the cost so far, in dollars if there are any, followed by the total. */
export function costLine(points: readonly CostPoint[], axis: Axis, width: number): string {
  const last = points.at(-1);
  const key = (last?.usd ?? 0) > 0 ? "usd" : "tokens";
  const most = last?.[key] ?? 0;
  const marks = Array.from({ length: width }, (_, at) => {
    const spent = points.findLast((point) => axis.at(point.at) <= (100 * (at + 1)) / width)?.[key] ?? 0;
    return spent <= 0 || most <= 0 ? "·" : levels[Math.min(7, Math.floor(8 * shareOf(spent, most)))]!;
  });
  return `${marks.join("")} ${key === "usd" ? money(most) : `${tokens(most)} tokens`}`;
}
