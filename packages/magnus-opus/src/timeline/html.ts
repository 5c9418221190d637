// The timeline as a self-contained page: no scripts, fonts, images or network. Every drawing also has text, so the page works
// without seeing it.
import { formatDuration } from "@atomic/terminal/count";
import type { MagnusEvent } from "../run/event.ts";
import { money, offset, shareOf, tokens } from "./amounts.ts";
import { type Axis, axisOf } from "./axis.ts";
import { Markup, markup, nothing } from "./markup.ts";
import { style } from "./style.ts";
import { grouped, summaryOf, type Timeline, type TimelineEntry, timelineOf } from "./timeline.ts";

/** A complete HTML document. Most of its text comes from models and files, and all of that is escaped. */
export function timelineHtml(events: readonly MagnusEvent[]): string {
  const timeline = timelineOf(events);
  const title = timeline === undefined ? "No run" : timeline.state.run;
  const body = timeline === undefined ? markup`<p>These events do not belong to a run.</p>` : bodyOf(timeline);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.html;
}

function bodyOf(timeline: Timeline): Markup {
  const { state, entries, costs, from, to } = timeline;
  const axis = axisOf([from, ...entries.map(({ at }) => at), ...costs.map(({ at }) => at), to]);
  const { status, tone, facts, concerns } = summaryOf(timeline);
  const people = entries.filter(({ isPerson }) => isPerson);
  const reviews = entries.filter(({ type }) => type === "review-submitted" || type === "review-concluded");
  const tests = entries.filter(({ type }) => type === "tests-ran");
  const refusals = entries.filter(({ type }) => type === "call-refused" || type === "paused");
  return markup`<header><h1>${state.description}</h1><p class="soft">${state.run}</p>
<p class="status ${tone}">${status}</p>
<dl>${facts.map(([name, value]) => markup`<dt>${name}</dt><dd class="number">${value}</dd>`)}</dl>
${concerns.length === 0 ? nothing : markup`<ul class="notes">${concerns.map((text) => markup`<li class="warn"><span class="text">${text}</span></li>`)}</ul>`}</header>
<main>
${phaseChart(timeline, axis)}
${notes("people", "People", people, timeline)}
${costChart(timeline, axis)}
${notes("refusals", "Refusals and pauses", refusals, timeline)}
${notes("reviews", "Reviews", reviews, timeline)}
${notes("tests", "Tests", tests, timeline)}
${delegationChart(timeline, axis)}
${eventTable(timeline)}
</main>`;
}

function phaseChart({ stays, from, to }: Timeline, axis: Axis): Markup {
  const rows = stays.map((stay) => {
    const { title, number, end, tone, gate, because, waitedMs, usd } = stay;
    const facts = [
      formatDuration(stay.to - stay.from),
      ...(waitedMs > 0 ? [`${formatDuration(waitedMs)} waiting for the user`] : []),
      ...(usd > 0 ? [money(usd)] : []),
    ];
    const reason = [gate ?? "", because].filter((part) => part !== "").join(": ");
    return markup`<li><div class="name"><b>${number > 1 ? `${title} (${number})` : title}</b>
<span class="${tone}">${end}</span><span class="soft number">${offset(stay.from, from)}, ${facts.join(", ")}</span></div>
${reason === "" ? nothing : markup`<p class="gate">${reason}</p>`}${track(stay.from, stay.to, tone, axis)}</li>
`;
  });
  const breaks = axis.breaks.map(({ ms }) => formatDuration(ms)).join(", ");
  return markup`<section aria-labelledby="phases"><h2 id="phases">Phases</h2>
<ol class="rows" id="phase-rows">${rows}</ol>
${scale(from, to)}${breaks === "" ? nothing : markup`<p class="soft">Shortened because nothing happened: ${breaks}.</p>`}</section>`;
}

const outcomes = { idle: "ended", open: "open", error: "failed", lost: "lost" } as const;

function delegationChart({ delegations, from, to: end }: Timeline, axis: Axis): Markup {
  if (delegations.length === 0) return nothing;
  const rows = delegations.map(({ agent, phase, outcome, model, usd, from: start, to = end }) => {
    const tone = outcome === "idle" ? "good" : outcome === "open" ? "plain" : "bad";
    const facts = [offset(start, from), formatDuration(to - start), money(usd), model ?? []].flat();
    return markup`<li><div class="name"><b>${agent}</b><span>${phase}</span><span class="${tone}">${outcomes[outcome]}</span>
<span class="soft number">${facts.join(", ")}</span></div>${track(start, to, tone, axis)}</li>
`;
  });
  return markup`<section aria-labelledby="delegations"><h2 id="delegations">Delegations</h2>
<ol class="rows" id="delegation-rows">${rows}</ol></section>`;
}

const mostPoints = 400;

function costChart({ costs, from, to, state }: Timeline, axis: Axis): Markup {
  if (costs.length === 0) return nothing;
  const key = state.spent.run.usd > 0 ? "usd" : "tokens";
  const total = costs.at(-1)![key];
  const said = key === "usd" ? money(total) : `${tokens(total)} tokens`;
  // Flat until the next cost is known, then up. A long run is drawn with some of its points, and always the last one.
  const every = Math.ceil(costs.length / mostPoints);
  const shown = costs.filter((_, index) => index % every === 0 || index === costs.length - 1);
  const steps = shown.map(
    (point) => `H${rounded(axis.at(point.at))}V${rounded(100 - 100 * shareOf(point[key], total))}`,
  );
  const curve = `M0 100${steps.join("")}H100`;
  const paid = Object.entries(state.spent.phases).filter(([, { usd }]) => usd > 0);
  const dearest = paid.toSorted(([, a], [, b]) => b.usd - a.usd).slice(0, 3);
  const most = dearest.map(([name, { usd }]) => `${name} ${money(usd)}`).join(", ");
  return markup`<section aria-labelledby="cost"><h2 id="cost">Cost over time</h2>
<p class="soft number">${`${said} in all${most === "" ? "" : `, mainly ${most}`}`}</p>
<svg class="chart" viewBox="0 -4 100 104" preserveAspectRatio="none" role="img" aria-label="Cost over time, up to ${said}">
<line class="edge" x1="0" x2="100" y1="50" y2="50"/><path class="area" d="${curve}V100Z"/><path class="curve" d="${curve}"/>
</svg>${scale(from, to)}</section>`;
}

function notes(id: string, title: string, entries: readonly TimelineEntry[], { from }: Timeline): Markup {
  if (entries.length === 0) return nothing;
  const items = grouped(entries).map(({ entry, count }) => {
    const { who, what, detail, phase, tone, isIgnored } = entry;
    const doer = who === "plugin" ? "" : `${who} `;
    const times = count > 1 ? ` (${count} times)` : "";
    return markup`<li class="${tone}"><div class="name"><span class="soft number">${offset(entry.at, from)}</span>
<b${isIgnored ? new Markup(' class="ignored"') : nothing}>${`${doer}${what}${times}`}</b><span class="soft">${phase}</span></div>
${detail === "" ? nothing : markup`<p class="text">${detail}</p>`}</li>
`;
  });
  return markup`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="notes">${items}</ul></section>`;
}

function eventTable({ entries, from, costs }: Timeline): Markup {
  const rows = entries.map((entry) => {
    const { at, phase, who, what, detail, tone, isIgnored } = entry;
    return markup`<tr><td class="number">${offset(at, from)}</td><td class="soft">${phase}</td><td>${who}</td>
<td><span class="${tone === "plain" ? "" : tone}${isIgnored ? " ignored" : ""}">${what}</span>${detail === "" ? "" : `: ${detail}`}</td></tr>
`;
  });
  const left =
    costs.length === 0 ? "" : `${costs.length} cost messages are not listed here; the chart above includes them.`;
  return markup`<details><summary>Everything that happened (${entries.length})</summary>
<p class="soft">Events that are struck out were not allowed and changed nothing. ${left}</p>
<table id="events"><thead><tr><th>at</th><th>phase</th><th>who</th><th>what</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

function track(from: number, to: number, tone: string, axis: Axis): Markup {
  const left = axis.at(from);
  const width = Math.max(0, axis.at(to) - left);
  const start = Math.min(left, 99); // keeps the very end visible
  return markup`<div class="track" aria-hidden="true">${axis.breaks.map(
    (each) => markup`<i class="break" style="left:${rounded(each.left)}%;width:${rounded(each.width)}%"></i>`,
  )}<i class="bar ${tone}" style="left:${rounded(start)}%;width:${rounded(width)}%"></i></div>`;
}

function scale(from: number, to: number): Markup {
  return markup`<p class="axis number"><span>${offset(from, from)}</span><span>${offset(to, from)}</span></p>`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
