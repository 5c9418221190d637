// The timeline as a self-contained page: no scripts, fonts, images or network. Every drawing also has text, so the page works
// without seeing it.
import { formatDuration } from "@atomic/terminal/count";
import { money, offset } from "@atomic/workflows/internal/view/page-amounts";
import { type Axis, axisOf } from "@atomic/workflows/internal/view/page-axis";
import { costChart, scale, shortened, track } from "@atomic/workflows/internal/view/page-charts";
import { type Content, element, stillPage } from "@atomic/workflows/internal/view/page-element";
import { pageStyle } from "@atomic/workflows/internal/view/page-style";
import type { MagnusEvent } from "../run/event.ts";
import { grouped, summaryOf, type Timeline, type TimelineEntry, timelineOf } from "./timeline.ts";

/** A complete HTML document. Most of its text comes from models and files, and all of that is escaped. */
export function timelineHtml(events: readonly MagnusEvent[]): string {
  const timeline = timelineOf(events);
  if (timeline === undefined) {
    return stillPage("No run", pageStyle, element("p", {}, "These events do not belong to a run."));
  }
  return stillPage(timeline.state.run, pageStyle, bodyOf(timeline));
}

function bodyOf(timeline: Timeline): Content {
  const { state, entries, costs, from, to } = timeline;
  const axis = axisOf([from, ...entries.map(({ at }) => at), ...costs.map(({ at }) => at), to]);
  const { status, tone, facts, concerns } = summaryOf(timeline);
  const people = entries.filter(({ isPerson }) => isPerson);
  const reviews = entries.filter(({ type }) => type === "review-submitted" || type === "review-concluded");
  const tests = entries.filter(({ type }) => type === "tests-ran");
  const refusals = entries.filter(({ type }) => type === "call-refused" || type === "paused");
  const paid = Object.entries(state.spent.phases).filter(([, { usd }]) => usd > 0);
  const dearest = paid.toSorted(([, a], [, b]) => b.usd - a.usd).slice(0, 3);
  const mainly = dearest.map(([name, { usd }]) => `${name} ${money(usd)}`).join(", ");
  const concern = (text: string): Content => element("li", { class: "warn" }, element("span", { class: "text" }, text));
  return [
    element(
      "header",
      {},
      element("h1", {}, state.description),
      element("p", { class: "soft" }, state.run),
      element("p", { class: `status ${tone}` }, status),
      element(
        "dl",
        {},
        facts.map(([name, value]) => [element("dt", {}, name), element("dd", { class: "number" }, value)]),
      ),
      concerns.length > 0 && element("ul", { class: "notes" }, concerns.map(concern)),
    ),
    element(
      "main",
      {},
      phaseChart(timeline, axis),
      notes("people", "People", people, timeline),
      costChart(costs, axis, [from, to], mainly),
      notes("refusals", "Refusals and pauses", refusals, timeline),
      notes("reviews", "Reviews", reviews, timeline),
      notes("tests", "Tests", tests, timeline),
      delegationChart(timeline, axis),
      eventTable(timeline),
    ),
  ];
}

function section(id: string, title: string, ...content: readonly Content[]): Content {
  return element("section", { "aria-labelledby": id }, element("h2", { id }, title), content);
}

function phaseChart({ stays, from, to }: Timeline, axis: Axis): Content {
  const rows = stays.map((stay) => {
    const { title, number, end, tone, gate, because, waitedMs, usd } = stay;
    const facts = [
      offset(stay.from, from),
      formatDuration(stay.to - stay.from),
      ...(waitedMs > 0 ? [`${formatDuration(waitedMs)} waiting for the user`] : []),
      ...(usd > 0 ? [money(usd)] : []),
    ];
    const reason = [gate ?? "", because].filter((part) => part !== "").join(": ");
    return element(
      "li",
      {},
      nameLine(number > 1 ? `${title} (${number})` : title, [end, tone], facts),
      reason !== "" && element("p", { class: "gate" }, reason),
      track(stay.from, stay.to, tone, axis),
    );
  });
  const list = element("ol", { class: "rows", id: "phase-rows" }, rows);
  return section("phases", "Phases", list, scale(from, to), shortened(axis));
}

function nameLine(name: string, [end, tone]: readonly string[], facts: readonly string[], phase?: string): Content {
  return element(
    "div",
    { class: "name" },
    element("b", {}, name),
    phase !== undefined && element("span", {}, phase),
    element("span", { class: tone }, end),
    element("span", { class: "soft number" }, facts.join(", ")),
  );
}

const outcomes = { idle: "ended", open: "open", error: "failed", lost: "lost" } as const;

function delegationChart({ delegations, from, to: end }: Timeline, axis: Axis): Content {
  if (delegations.length === 0) return undefined;
  const rows = delegations.map(({ agent, phase, outcome, model, usd, from: start, to = end }) => {
    const tone = outcome === "idle" ? "good" : outcome === "open" ? "plain" : "bad";
    const facts = [offset(start, from), formatDuration(to - start), money(usd), model ?? []].flat();
    return element("li", {}, nameLine(agent, [outcomes[outcome], tone], facts, phase), track(start, to, tone, axis));
  });
  return section("delegations", "Delegations", element("ol", { class: "rows", id: "delegation-rows" }, rows));
}

function notes(id: string, title: string, entries: readonly TimelineEntry[], { from }: Timeline): Content {
  if (entries.length === 0) return undefined;
  const items = grouped(entries).map(({ entry, count }) => {
    const { who, what, detail, phase, tone, isIgnored } = entry;
    const doer = who === "plugin" ? "" : `${who} `;
    const times = count > 1 ? ` (${count} times)` : "";
    return element(
      "li",
      { class: tone },
      element(
        "div",
        { class: "name" },
        element("span", { class: "soft number" }, offset(entry.at, from)),
        element("b", { class: isIgnored && "ignored" }, `${doer}${what}${times}`),
        element("span", { class: "soft" }, phase),
      ),
      detail !== "" && element("p", { class: "text" }, detail),
    );
  });
  return section(id, title, element("ul", { class: "notes" }, items));
}

function eventTable({ entries, from, costs }: Timeline): Content {
  const rows = entries.map(({ at, phase, who, what, detail, tone, isIgnored }) =>
    element(
      "tr",
      {},
      element("td", { class: "number" }, offset(at, from)),
      element("td", { class: "soft" }, phase),
      element("td", {}, who),
      element(
        "td",
        {},
        element("span", { class: `${tone === "plain" ? "" : tone}${isIgnored ? " ignored" : ""}` }, what),
        detail === "" ? "" : `: ${detail}`,
      ),
    ),
  );
  const left =
    costs.length === 0 ? "" : `${costs.length} cost messages are not listed here; the chart above includes them.`;
  const heads = ["at", "phase", "who", "what"].map((title) => element("th", {}, title));
  return element(
    "details",
    {},
    element("summary", {}, `Everything that happened (${entries.length})`),
    element("p", { class: "soft" }, `Events that are struck out were not allowed and changed nothing. ${left}`),
    element("table", { id: "events" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)),
  );
}
