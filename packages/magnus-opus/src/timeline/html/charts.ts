// Phases, sessions and cost over the same line of time. Words stand beside the drawings, so that nobody has to see them.
import { formatDuration } from "@atomic/terminal/duration";
import { money, offset, shareOf, tokens } from "../amounts.ts";
import { type Axis, axisOf } from "../axis.ts";
import type { Stay } from "../stays.ts";
import type { CostPoint, Delegation, Timeline } from "../timeline.ts";
import { type Markup, markup, nothing } from "./markup.ts";

export function axisFor({ from, to, entries, costs }: Timeline): Axis {
  return axisOf([from, ...entries.map(({ at }) => at), ...costs.map(({ at }) => at), to]);
}

const endTones = { passed: "good", waived: "warn", "sent-back": "warn", open: "plain", cancelled: "bad" } as const;

export function phaseChart({ stays, from, to }: Timeline, axis: Axis): Markup {
  return markup`<section aria-labelledby="phases"><h2 id="phases">Phases</h2>
<ol class="rows" id="phase-rows">${stays.map((stay) => phaseRow(stay, from, axis))}</ol>
${scale(from, to)}${breakNote(axis)}</section>`;
}

function phaseRow(stay: Stay, from: number, axis: Axis): Markup {
  const { title, number, end, gate, because, waitedMs, usd } = stay;
  const tone = endTones[end];
  const facts = [
    formatDuration(stay.to - stay.from),
    ...(waitedMs > 0 ? [`${formatDuration(waitedMs)} of it for a person`] : []),
    ...(usd > 0 ? [money(usd)] : []),
  ];
  const reason = [gate ?? "", because].filter((part) => part !== "").join(": ");
  return markup`<li><div class="name"><b>${number > 1 ? `${title} (${number})` : title}</b>
<span class="${tone}">${end}</span><span class="soft number">${offset(stay.from, from)}, ${facts.join(", ")}</span></div>
${reason === "" ? nothing : markup`<p class="gate">${reason}</p>`}${track(stay.from, stay.to, tone, axis)}</li>
`;
}

export function delegationChart({ delegations, from, to }: Timeline, axis: Axis): Markup {
  if (delegations.length === 0) return nothing;
  return markup`<section aria-labelledby="delegations"><h2 id="delegations">Delegations</h2>
<ol class="rows" id="delegation-rows">${delegations.map((each) => delegationRow(each, from, to, axis))}</ol></section>`;
}

function delegationRow(each: Delegation, from: number, until: number, axis: Axis): Markup {
  const { agent, phase, outcome, model, usd, to = until } = each;
  const tone = outcome === "idle" ? "good" : outcome === "open" ? "plain" : "bad";
  const facts = [
    offset(each.from, from),
    formatDuration(to - each.from),
    money(usd),
    ...(model === undefined ? [] : [model]),
  ];
  return markup`<li><div class="name"><b>${agent}</b><span>${phase}</span><span class="${tone}">${outcomes[outcome]}</span>
<span class="soft number">${facts.join(", ")}</span></div>${track(each.from, to, tone, axis)}</li>
`;
}

const outcomes = { idle: "ended", open: "open", error: "failed", lost: "lost" } as const;

function track(from: number, to: number, tone: string, axis: Axis): Markup {
  const left = axis.at(from);
  const width = Math.max(0, axis.at(to) - left);
  const start = Math.min(left, 99); // also what happened at the very end can be seen
  return markup`<div class="track" aria-hidden="true">${axis.breaks.map(
    (each) => markup`<i class="break" style="left:${percent(each.left)};width:${percent(each.width)}"></i>`,
  )}<i class="bar ${tone}" style="left:${percent(start)};width:${percent(width)}"></i></div>`;
}

const mostPoints = 400;

export function costChart({ costs, from, to, state }: Timeline, axis: Axis): Markup {
  if (costs.length === 0) return nothing;
  const key = state.spent.run.usd > 0 ? "usd" : "tokens";
  const total = costs.at(-1)![key];
  const said = key === "usd" ? money(total) : `${tokens(total)} tokens`;
  const steps = stepsOf(costs, key, total, axis);
  const curve = `M0 100${steps}H100`;
  return markup`<section aria-labelledby="cost"><h2 id="cost">Cost over time</h2>
<p class="soft number">${`${said} in all${dearest(state)}`}</p>
<svg class="chart" viewBox="0 -4 100 104" preserveAspectRatio="none" role="img" aria-label="Cost over time, up to ${said}">
<line class="edge" x1="0" x2="100" y1="50" y2="50"/><path class="area" d="${curve}V100Z"/><path class="curve" d="${curve}"/>
</svg>${scale(from, to)}</section>`;
}

/** Flat until the next cost is known, then up. A long run is drawn by some of its points, and always by the last. */
function stepsOf(points: readonly CostPoint[], key: "usd" | "tokens", total: number, axis: Axis): string {
  const every = Math.ceil(points.length / mostPoints);
  const shown = points.filter((_, index) => index % every === 0 || index === points.length - 1);
  return shown
    .map((point) => `H${rounded(axis.at(point.at))}V${rounded(100 - 100 * shareOf(point[key], total))}`)
    .join("");
}

function dearest({ spent }: Timeline["state"]): string {
  const phases = Object.entries(spent.phases).filter(([, { usd }]) => usd > 0);
  const sorted = phases.toSorted(([, a], [, b]) => b.usd - a.usd).slice(0, 3);
  return sorted.length === 0
    ? ""
    : `, most of it: ${sorted.map(([name, { usd }]) => `${name} ${money(usd)}`).join(", ")}`;
}

function scale(from: number, to: number): Markup {
  return markup`<p class="axis number"><span>${offset(from, from)}</span><span>${offset(to, from)}</span></p>`;
}

function breakNote({ breaks }: Axis): Markup {
  if (breaks.length === 0) return nothing;
  const lengths = breaks.map(({ ms }) => formatDuration(ms)).join(", ");
  return markup`<p class="soft">Drawn short, as nothing happened: ${lengths}.</p>`;
}

function percent(value: number): string {
  return `${rounded(value)}%`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
