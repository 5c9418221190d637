// The timeline for a terminal. Tables make foreign text safe themselves; everything else goes through `safeLine`.
import { formatDuration } from "@atomic/terminal/duration";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { type Cell, type Column, formatTable } from "@atomic/terminal/table";
import { truncate } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import type { MagnusEvent } from "../run/event.ts";
import { money, offset } from "./amounts.ts";
import { axisOf } from "./axis.ts";
import { barOf, costLine } from "./bars.ts";
import type { Tone } from "./describe-event.ts";
import { grouped } from "./grouped.ts";
import type { Stay } from "./stays.ts";
import { summaryOf } from "./summary.ts";
import { type Entry, type Timeline, timelineOf } from "./timeline.ts";

/** All that happened in a run, for a terminal of any width. */
export function timelineText(events: readonly MagnusEvent[], page: Page): string {
  const timeline = timelineOf(events);
  if (timeline === undefined) return "These are not the events of a run.\n";
  const { entries } = timeline;
  const of = (...types: readonly Entry["type"][]) =>
    lines(
      timeline,
      entries.filter(({ type }) => types.includes(type)),
      page,
    );
  const people = entries.filter(({ isPerson }) => isPerson);
  return [
    head(timeline, page),
    section("Phases", phaseTable(timeline, page), page),
    section("Gates", timeline.stays.map((stay) => gateLine(timeline, stay, page)).join(""), page),
    section("People", lines(timeline, people, page), page),
    section("Delegations", delegationTable(timeline, page), page),
    section("Tests", of("tests-ran"), page),
    section("Reviews", of("review-submitted"), page),
    section("Refusals and pauses", of("call-refused", "paused"), page),
    section("Cost over time", costs(timeline, page), page),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function head(timeline: Timeline, page: Page): string {
  const { state } = timeline;
  const { status, tone, facts, concerns } = summaryOf(timeline);
  const paint = painter(page.colour);
  const fact = (name: string, value: string): string =>
    paragraph(value, page, { lead: `  ${paint("dim", name.padEnd(8))}  `, indent: " ".repeat(12) });
  return [
    paragraph(safeLine(state.description), page, { lead: `${paint("bold", safeLine(state.run))}: `, indent: "  " }),
    fact("status", toned(tone, safeLine(status), page)),
    ...facts.map(([name, value]) => fact(name, safeLine(value))),
    ...concerns.map((text) => fact("note", safeLine(text))),
  ].join("");
}

/** Below this, no bars: the numbers need the room. */
const roomForBars = 90;
const barWidth = 28;

function phaseTable(timeline: Timeline, page: Page): string {
  const { stays, entries, from, to } = timeline;
  const hasBars = page.columns === undefined || page.columns >= roomForBars;
  const axis = axisOf([from, ...entries.map(({ at }) => at), to]);
  const columns: Column[] = [
    { title: "at" },
    { title: "phase" },
    { title: "time" },
    { title: "cost" },
    { title: "ended" },
  ];
  const rows = stays.map((stay): Cell[] => [
    offset(stay.from, from),
    nameOf(stay),
    formatDuration(stay.to - stay.from),
    money(stay.usd),
    { text: stay.end, colour: endColours[stay.end] },
    ...(hasBars ? [barOf(axis.at(stay.from), axis.at(stay.to), barWidth)] : []),
  ]);
  return formatTable(hasBars ? [...columns, { title: "when" }] : columns, rows, behindMargin(page));
}

function gateLine({ from }: Timeline, stay: Stay, page: Page): string {
  const { gate, because, waitedMs, end } = stay;
  if (gate === null && because === "") return "";
  const waited = waitedMs > 0 ? `waited ${formatDuration(waitedMs)} for a person` : "";
  const text = [gate ?? "no gate", because, waited].filter((part) => part !== "").join(", ");
  return line(stay.from, from, `${nameOf(stay)}: ${text}`, endTones[end], page);
}

function nameOf({ phase, number }: Stay): string {
  return number > 1 ? `${phase} (${number})` : phase;
}

function delegationTable({ delegations, from }: Timeline, page: Page): string {
  if (delegations.length === 0) return "";
  const titles = ["at", "agent", "phase", "time", "cost", "ended"];
  const columns: Column[] = [...titles.map((title) => ({ title })), { title: "model", least: 5 }];
  const rows = delegations.map((each): Cell[] => [
    offset(each.from, from),
    each.agent,
    each.phase,
    each.to === undefined ? "" : formatDuration(each.to - each.from),
    money(each.usd),
    each.outcome === "error" || each.outcome === "lost" ? { text: each.outcome, colour: "red" } : each.outcome,
    each.model ?? "",
  ]);
  return formatTable(columns, rows, behindMargin(page));
}

function lines({ from }: Timeline, entries: readonly Entry[], page: Page): string {
  return grouped(entries)
    .map(({ entry, count }) => {
      const { who, what, detail, tone, isPerson, isIgnored, phase } = entry;
      const doer = isPerson ? who : who === "plugin" ? `${phase}:` : `${phase}: ${who}`;
      const times = count > 1 ? ` (${count} times)` : "";
      const text = `${doer} ${what}${times}${detail === "" ? "" : `: ${detail}`}`;
      return line(entry.at, from, isIgnored ? `ignored: ${text}` : text, tone, page);
    })
    .join("");
}

/** The longest that is shown of what somebody said. */
const mostSaid = 600;

function line(at: number, from: number, text: string, tone: Tone, page: Page): string {
  const lead = `  ${offset(at, from)}  `;
  return paragraph(toned(tone, truncate(safeLine(text), mostSaid), page), page, {
    lead,
    indent: " ".repeat(lead.length),
  });
}

function costs({ costs: points, stays, from, to, entries }: Timeline, page: Page): string {
  if (points.length === 0) return "";
  const axis = axisOf([from, ...entries.map(({ at }) => at), ...points.map(({ at }) => at), to]);
  const width = Math.max(8, Math.min(60, (page.columns ?? 80) - 24));
  const dearest = stays.filter(({ usd }) => usd > 0).toSorted((a, b) => b.usd - a.usd);
  const named = dearest.slice(0, 3).map((stay) => `${nameOf(stay)} ${money(stay.usd)}`);
  const most = named.length === 0 ? "" : paragraph(`most: ${named.join(", ")}`, page, { lead: "  ", indent: "  " });
  return `  ${costLine(points, axis, width)}\n${most}`;
}

const toneColours = { good: "green", warn: "yellow", bad: "red" } as const;
const endTones = { passed: "good", waived: "warn", "sent-back": "warn", open: "plain", cancelled: "bad" } as const;
const endColours = {
  passed: "green",
  waived: "yellow",
  "sent-back": "yellow",
  open: "cyan",
  cancelled: "red",
} as const;

function toned(tone: Tone, text: string, { colour }: Page): string {
  return tone === "plain" ? text : painter(colour)(toneColours[tone], text);
}

function section(title: string, body: string, { colour }: Page): string {
  if (body === "") return "";
  return `${painter(colour)("bold", title)}\n${body.replace(/^(?! )(?=.)/gm, "  ")}`;
}

/** What is left of a line for a table. */
function behindMargin({ columns, colour }: Page): Page {
  return columns === undefined ? { colour } : { columns: Math.max(20, columns - 2), colour };
}
