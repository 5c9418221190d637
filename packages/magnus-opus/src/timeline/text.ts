// The timeline for a terminal. Tables escape foreign text themselves; everything else goes through `safeLine`.
import { formatDuration } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { truncate } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import { money, offset } from "@atomic/workflows/internal/view/page-amounts";
import { axisOf } from "@atomic/workflows/internal/view/page-axis";
import type { Tone } from "@atomic/workflows/internal/view/page-charts";
import type { MagnusEvent } from "../run/event.ts";
import { barOf, costLine } from "./drawn-text.ts";
import { grouped, type PhaseStay, summaryOf, type Timeline, type TimelineEntry, timelineOf } from "./timeline.ts";

const toneColours = { plain: "cyan", good: "green", warn: "yellow", bad: "red" } as const;

/** Everything that happened in a run, for a terminal of any width. */
export function timelineText(events: readonly MagnusEvent[], page: Page): string {
  const timeline = timelineOf(events);
  if (timeline === undefined) return "These events do not belong to a run.\n";
  const { state, stays, delegations, costs, entries, from, to } = timeline;
  const paint = painter(page.colour);

  const summary = summaryOf(timeline);
  const facts: readonly (readonly [string, string])[] = [
    ["status", toned(summary.tone, safeLine(summary.status), page)],
    ...summary.facts.map(([name, value]) => [name, safeLine(value)] as const),
    ...summary.concerns.map((text) => ["note", safeLine(text)] as const),
  ];
  const head = [
    paragraph(safeLine(state.description), page, { lead: `${paint("bold", safeLine(state.run))}: `, indent: "  " }),
    ...facts.map(([name, value]) =>
      paragraph(value, page, { lead: `  ${paint("dim", name.padEnd(8))}  `, indent: " ".repeat(12) }),
    ),
  ];

  const gates = stays.map((stay) => {
    const { gate, because, waitedMs, tone } = stay;
    if (gate === null && because === "") return "";
    const waited = waitedMs > 0 ? `waited ${formatDuration(waitedMs)} for the user` : "";
    const text = [gate ?? "no gate", because, waited].filter((part) => part !== "").join(", ");
    return line(stay.from, from, `${nameOf(stay)}: ${text}`, tone, page);
  });

  const hasBars = page.columns === undefined || page.columns >= roomForBars;
  const phaseAxis = axisOf([from, ...entries.map(({ at }) => at), to]);
  const phaseTitles = ["at", "phase", "time", "cost", "ended", ...(hasBars ? ["when"] : [])];
  const phaseRows = stays.map((stay): Cell[] => [
    offset(stay.from, from),
    nameOf(stay),
    formatDuration(stay.to - stay.from),
    money(stay.usd),
    { text: stay.end, colour: toneColours[stay.tone] },
    ...(hasBars ? [barOf(phaseAxis.at(stay.from), phaseAxis.at(stay.to), barWidth)] : []),
  ]);

  const delegationTitles = ["at", "agent", "phase", "time", "cost", "ended", "model"];
  const delegationRows = delegations.map((each): Cell[] => [
    offset(each.from, from),
    each.agent,
    each.phase,
    each.to === undefined ? "" : formatDuration(each.to - each.from),
    money(each.usd),
    each.outcome === "error" || each.outcome === "lost" ? { text: each.outcome, colour: "red" } : each.outcome,
    each.model ?? "",
  ]);

  const cost: string[] = [];
  if (costs.length > 0) {
    const axis = axisOf([from, ...entries.map(({ at }) => at), ...costs.map(({ at }) => at), to]);
    const width = Math.max(8, Math.min(60, (page.columns ?? 80) - 24));
    const dearest = stays.filter(({ usd }) => usd > 0).toSorted((a, b) => b.usd - a.usd);
    const named = dearest.slice(0, 3).map((stay) => `${nameOf(stay)} ${money(stay.usd)}`);
    cost.push(`  ${costLine(costs, axis, width)}\n`);
    if (named.length > 0) cost.push(paragraph(`most: ${named.join(", ")}`, page, { lead: "  ", indent: "  " }));
  }

  const sections: readonly (readonly [string, string])[] = [
    ["Phases", indentedTable(phaseTitles, phaseRows, page)],
    ["Gates", gates.join("")],
    ["People", lines(timeline, ({ isPerson }) => isPerson, page)],
    ["Delegations", delegations.length === 0 ? "" : indentedTable(delegationTitles, delegationRows, page)],
    ["Tests", lines(timeline, ({ type }) => type === "tests-ran", page)],
    ["Reviews", lines(timeline, ({ type }) => type === "review-submitted" || type === "review-concluded", page)],
    ["Refusals and pauses", lines(timeline, ({ type }) => type === "call-refused" || type === "paused", page)],
    ["Cost over time", cost.join("")],
  ];
  const shown = sections
    .filter(([, body]) => body !== "")
    .map(([title, body]) => `${paint("bold", title)}\n${body.replace(/^(?! )(?=.)/gm, "  ")}`);
  return [head.join(""), ...shown].join("\n");
}

/** Below this, no bars: the numbers need the room. */
const roomForBars = 90;
const barWidth = 28;

function indentedTable(titles: readonly string[], rows: readonly Cell[][], { columns: width, colour }: Page): string {
  const columns = titles.map((title): Column => (title === "model" ? { title, least: 5 } : { title }));
  return formatTable(columns, rows, width === undefined ? { colour } : { columns: Math.max(20, width - 2), colour });
}

function lines({ from, entries }: Timeline, isShown: (entry: TimelineEntry) => boolean, page: Page): string {
  return grouped(entries.filter(isShown))
    .map(({ entry, count }) => {
      const { who, what, detail, tone, isPerson, isIgnored, phase } = entry;
      const doer = isPerson ? who : who === "plugin" ? `${phase}:` : `${phase}: ${who}`;
      const times = count > 1 ? ` (${count} times)` : "";
      const text = `${doer} ${what}${times}${detail === "" ? "" : `: ${detail}`}`;
      return line(entry.at, from, isIgnored ? `ignored: ${text}` : text, tone, page);
    })
    .join("");
}

/** The longest quoted text. */
const mostSaid = 600;

function line(at: number, from: number, text: string, tone: Tone, page: Page): string {
  const lead = `  ${offset(at, from)}  `;
  const shown = toned(tone, truncate(safeLine(text), mostSaid), page);
  return paragraph(shown, page, { lead, indent: " ".repeat(lead.length) });
}

function nameOf({ phase, number }: PhaseStay): string {
  return number > 1 ? `${phase} (${number})` : phase;
}

function toned(tone: Tone, text: string, { colour }: Page): string {
  return tone === "plain" ? text : painter(colour)(toneColours[tone], text);
}
