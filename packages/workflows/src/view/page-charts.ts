// What the pages of Atomic and Magnus Opus draw: bars on a time axis, and the cost so far. Every drawing also has text, so a page
// works without seeing it.
import { formatDuration } from "@atomic/terminal/count";
import { money, offset, shareOf, tokens } from "./page-amounts.ts";
import type { Axis } from "./page-axis.ts";
import { type Content, type Element, element } from "./page-element.ts";

/** `plain` is neither good nor bad. */
export type Tone = "plain" | "good" | "warn" | "bad";

/** What had been spent by then. */
export interface CostPoint {
  readonly at: number;
  readonly usd: number;
  readonly tokens: number;
}

/** When something began and ended, and how it went. */
export function track(from: number, to: number, tone: string, axis: Axis): Element {
  const left = axis.at(from);
  const width = Math.max(0, axis.at(to) - left);
  const start = Math.min(left, 99); // keeps the very end visible
  return element(
    "div",
    { class: "track", "aria-hidden": "true" },
    axis.breaks.map((each) => element("i", { class: "break", style: place(each.left, each.width) })),
    element("i", { class: `bar ${tone}`, style: place(start, width) }),
  );
}

function place(left: number, width: number): string {
  return `left:${rounded(left)}%;width:${rounded(width)}%`;
}

/** Below tracks: the time at both ends. */
export function scale(from: number, to: number): Element {
  const ends = [offset(from, from), offset(to, from)].map((text) => element("span", {}, text));
  return element("p", { class: "axis number" }, ends);
}

/** Which gaps the axis has shortened. */
export function shortened(axis: Axis): Content {
  if (axis.breaks.length === 0) return undefined;
  const gaps = axis.breaks.map(({ ms }) => formatDuration(ms)).join(", ");
  return element("p", { class: "soft" }, `Shortened because nothing happened: ${gaps}.`);
}

const mostPoints = 400;

/** `mainly`: what cost the most, for the sentence above. */
export function costChart(
  costs: readonly CostPoint[],
  axis: Axis,
  [from, to]: readonly number[],
  mainly = "",
): Content {
  const last = costs.at(-1);
  if (last === undefined) return undefined;
  const key = last.usd > 0 ? "usd" : "tokens";
  const total = last[key];
  const said = [
    ...(last.usd > 0 ? [money(last.usd)] : []),
    ...(last.tokens > 0 ? [`${tokens(last.tokens)} tokens`] : []),
  ];
  const text = said.length === 0 ? "nothing" : said.join(", ");
  // Flat until the next cost is known, then up. A long run is drawn with some of its points, and always the last one.
  const every = Math.ceil(costs.length / mostPoints);
  const shown = costs.filter((_, index) => index % every === 0 || index === costs.length - 1);
  const steps = shown.map(
    (point) => `H${rounded(axis.at(point.at))}V${rounded(100 - 100 * shareOf(point[key], total))}`,
  );
  const curve = `M0 100${steps.join("")}H100`;
  return element(
    "section",
    { "aria-labelledby": "cost" },
    element("h2", { id: "cost" }, "Cost over time"),
    element("p", { class: "soft number" }, `${text} in all${mainly === "" ? "" : `, mainly ${mainly}`}`),
    element(
      "svg",
      {
        class: "chart",
        viewBox: "0 -4 100 104",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `Cost over time, up to ${text}`,
      },
      element("line", { class: "edge", x1: 0, x2: 100, y1: 50, y2: 50 }),
      element("path", { class: "area", d: `${curve}V100Z` }),
      element("path", { class: "curve", d: curve }),
    ),
    scale(from ?? 0, to ?? 0),
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
