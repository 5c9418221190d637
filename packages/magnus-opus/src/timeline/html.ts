// The timeline as one page that needs nothing else: no script, no font, no picture, no network.
import type { MagnusEvent } from "../run/event.ts";
import { offset } from "./amounts.ts";
import { grouped } from "./grouped.ts";
import { axisFor, costChart, delegationChart, phaseChart } from "./html/charts.ts";
import { Markup, markup, nothing } from "./html/markup.ts";
import { style } from "./html/style.ts";
import { summaryOf } from "./summary.ts";
import { type Entry, type Timeline, timelineOf } from "./timeline.ts";

/** A complete HTML document. Models and files wrote most of what it shows; none of that can become part of the page itself. */
export function timelineHtml(events: readonly MagnusEvent[]): string {
  const timeline = timelineOf(events);
  const title = timeline === undefined ? "No run" : timeline.state.run;
  const body = timeline === undefined ? markup`<p>These are not the events of a run.</p>` : bodyOf(timeline);
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
  const axis = axisFor(timeline);
  const { entries } = timeline;
  const of = (...types: readonly Entry["type"][]) => entries.filter(({ type }) => types.includes(type));
  const people = entries.filter(({ isPerson }) => isPerson);
  return markup`${head(timeline)}
<main>
${phaseChart(timeline, axis)}
${notes("people", "People", people, timeline)}
${costChart(timeline, axis)}
${notes("refusals", "Refusals and pauses", of("call-refused", "paused"), timeline)}
${notes("reviews", "Reviews", of("review-submitted"), timeline)}
${notes("tests", "Tests", of("tests-ran"), timeline)}
${delegationChart(timeline, axis)}
${eventTable(timeline)}
</main>`;
}

function head(timeline: Timeline): Markup {
  const { state } = timeline;
  const { status, tone, facts, concerns } = summaryOf(timeline);
  return markup`<header><h1>${state.description}</h1><p class="soft">${state.run}</p>
<p class="status ${tone}">${status}</p>
<dl>${facts.map(([name, value]) => markup`<dt>${name}</dt><dd class="number">${value}</dd>`)}</dl>
${concerns.length === 0 ? nothing : markup`<ul class="notes">${concerns.map((text) => markup`<li class="warn"><span class="text">${text}</span></li>`)}</ul>`}</header>`;
}

function notes(id: string, title: string, entries: readonly Entry[], { from }: Timeline): Markup {
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
  const rows = entries.map(
    ({
      at,
      phase,
      who,
      what,
      detail,
      tone,
      isIgnored,
    }) => markup`<tr><td class="number">${offset(at, from)}</td><td class="soft">${phase}</td><td>${who}</td>
<td><span class="${tone === "plain" ? "" : tone}${isIgnored ? " ignored" : ""}">${what}</span>${detail === "" ? "" : `: ${detail}`}</td></tr>
`,
  );
  const left = costs.length === 0 ? "" : `${costs.length} messages of what it cost are in the curve above.`;
  return markup`<details><summary>Everything that happened (${entries.length})</summary>
<p class="soft">What is struck out was not allowed to happen and changed nothing. ${left}</p>
<table id="events"><thead><tr><th>at</th><th>phase</th><th>who</th><th>what</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}
