// Where a moment stands on a line from 0 to 100. A silence of hours, while everybody slept, would leave no room for the rest:
// it is drawn short, and marked.

import { shareOf } from "./amounts.ts";

/** A silence up to this long is drawn as long as it was. */
const longestDrawn = 15 * 60_000;
/** How long a longer one is drawn, of the rest. */
const breakShare = 0.04;

interface Break {
  /** In percent. */
  readonly left: number;
  readonly width: number;
  readonly ms: number;
}

export interface Axis {
  /** In percent. */
  at(time: number): number;
  readonly breaks: readonly Break[];
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly length: number;
}

/** `times`: of all that happened. */
export function axisOf(times: readonly number[]): Axis {
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((to, index) => ({ from: sorted[index]!, to }));
  const drawn = gaps.filter(({ from, to }) => to - from <= longestDrawn);
  const shown = drawn.reduce((sum, { from, to }) => sum + to - from, 0);
  const short = gaps.length > drawn.length ? Math.max(shown * breakShare, 1000) : 0;
  const pieces: Piece[] = [];
  let total = 0;
  for (const { from, to } of gaps) {
    const length = to - from <= longestDrawn ? to - from : short;
    pieces.push({ from, to, start: total, length });
    total += length;
  }
  const percent = (length: number): number => 100 * shareOf(length, total);
  return {
    at: (time) => percent(positionOf(pieces, time, total)),
    breaks: pieces
      .filter(({ from, to }) => to - from > longestDrawn)
      .map(({ from, to, start, length }) => ({ left: percent(start), width: percent(length), ms: to - from })),
  };
}

function positionOf(pieces: readonly Piece[], time: number, total: number): number {
  const piece = pieces.find(({ to }) => time < to);
  if (piece === undefined) return total;
  const { from, to, start, length } = piece;
  return start + length * shareOf(time - from, to - from);
}
