// Bars and curves drawn with characters.
import { money, shareOf, tokens } from "@atomic/workflows/internal/view/page-amounts";
import type { Axis } from "@atomic/workflows/internal/view/page-axis";
import type { CostPoint } from "@atomic/workflows/internal/view/page-charts";

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
