// The two long lists of a run: the timeline with its bars, and the log. Only the rows on the screen are drawn.
import { formatDuration } from "@atomic/terminal/count";
import { offset } from "@atomic/workflows/internal/view/page-amounts";
import { type Axis, axisOf } from "@atomic/workflows/internal/view/page-axis";
import { costChart, scale, shortened, track } from "@atomic/workflows/internal/view/page-charts";
import { type Content, element } from "@atomic/workflows/internal/view/page-element";
import { formatSpent, shorten } from "../../report/format.ts";
import { hasEnded } from "../../view/run-status.ts";
import type { TimelineRow } from "../../view/timeline.ts";
import type { PageState } from "./page-state.ts";
import type { RunLogLine, RunModel } from "./run-model.ts";
import { addressOf, joined, nodeMark, nodeTones, type PageTone, type Route } from "./words.ts";

type RowKind = "timeline" | "log";

interface RowsPicture extends Pick<PageState, "now" | "range"> {
  readonly route: Route | undefined;
}

/** The calls and events that the user wants to see. */
export function shownRows(
  model: RunModel,
  { filter, isOnlyProblems }: Pick<PageState, "filter" | "isOnlyProblems">,
): readonly TimelineRow[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted === "" && !isOnlyProblems) return model.rows;
  return model.rows.filter((row) => {
    const isProblem = row.kind === "call" && (row.error !== undefined || row.status === "failed");
    if (isOnlyProblems && !isProblem) return false;
    const text = row.kind === "mark" ? row.text : `${row.key} ${row.what} ${row.status} ${row.error ?? ""}`;
    return text.toLowerCase().includes(wanted);
  });
}

export function shownLines(
  model: RunModel,
  { filter, isOnlyProblems }: Pick<PageState, "filter" | "isOnlyProblems">,
): readonly RunLogLine[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted === "" && !isOnlyProblems) return model.log;
  return model.log.filter(
    ({ symbol, text, key }) =>
      (!isOnlyProblems || symbol === "✗" || symbol === "↻") && `${key ?? ""} ${text}`.toLowerCase().includes(wanted),
  );
}

/** The rows of the list that is on the screen. Nothing else depends on where the page is scrolled to. */
export function drawRows(
  model: RunModel,
  state: Pick<PageState, "now" | "range" | "route" | "filter" | "isOnlyProblems">,
): Content {
  if (state.route.tab === "log") return logRows(model, shownLines(model, state), state);
  const place = placeOf(model, state);
  return place && timelineRows(shownRows(model, state), place);
}

function placeOf(model: RunModel, picture: RowsPicture): RowPlace | undefined {
  const { view } = model;
  if (view === undefined) return undefined;
  const { createdAt: from, updatedAt, status } = view.state;
  const to = Math.max(updatedAt, hasEnded(status) ? 0 : picture.now);
  return { ...picture, from, to, axis: axisFor(model, from, to) };
}

export function drawTimeline(model: RunModel, rows: readonly TimelineRow[], picture: RowsPicture): Content {
  const place = placeOf(model, picture);
  if (place === undefined) return undefined;
  const { from, to, axis } = place;
  return [
    costChart(model.costs, axis, [from, to]),
    element(
      "section",
      { "aria-labelledby": "steps" },
      element("h2", { id: "steps" }, "Steps"),
      drawList("timeline", rows.length, picture, timelineRows(rows, place)),
      scale(from, to),
      shortened(axis),
    ),
  ];
}

const axes = new WeakMap<RunModel, { readonly version: number; readonly to: number; readonly axis: Axis }>();

/** Made anew only when something has happened: a long run has many moments. */
function axisFor(model: RunModel, from: number, to: number): Axis {
  const known = axes.get(model);
  if (known !== undefined && known.version === model.version && known.to === to) return known.axis;
  const times = model.rows.flatMap((row) => (row.kind === "call" ? [row.at, row.at + (row.ms ?? 0)] : [row.at]));
  const axis = axisOf([from, ...times, to]);
  axes.set(model, { version: model.version, to, axis });
  return axis;
}

interface RowPlace extends RowsPicture {
  readonly axis: Axis;
  readonly from: number;
  readonly to: number;
}

function timelineRows(rows: readonly TimelineRow[], place: RowPlace): Content {
  return rowsInRange(rows, place, (row, attributes) => timelineRow(row, place, attributes));
}

function timelineRow(row: TimelineRow, { axis, from, to, route }: RowPlace, attributes: RowAttributes): Content {
  const at = element("span", { class: "soft number" }, offset(row.at, from));
  if (row.kind === "mark") {
    const name = element("div", { class: "name" }, at, element("span", { class: "soft" }, row.text));
    return element("li", { ...attributes, class: "row moment" }, name);
  }
  const { key, what, status, ms, cost, error, answer, attempts, took } = row;
  const said =
    error !== undefined
      ? shorten(error)
      : answer !== undefined
        ? `answered ${typeof answer === "string" ? shorten(answer) : JSON.stringify(answer)}`
        : took;
  const facts = joined(
    ms !== undefined && formatDuration(ms),
    attempts > 1 && `attempt ${attempts}`,
    formatSpent(cost),
  );
  const tone = nodeTones[status];
  return element(
    "li",
    { ...attributes, class: "row" },
    element(
      "div",
      { class: "name" },
      nodeMark(status),
      nodeLink(key, route),
      element("span", { class: "soft" }, what),
      element("span", { class: `${tone} status-word` }, status),
      said !== undefined && element("span", { class: error === undefined ? "soft rest" : "bad rest" }, said),
      element("span", { class: "facts soft number" }, joined(offset(row.at, from), facts)),
    ),
    track(row.at, row.at + (ms ?? Math.max(0, to - row.at)), tone, axis),
  );
}

const lineTones: Readonly<Record<string, PageTone>> = { "✓": "good", "✗": "bad", "▸": "plain", "·": "soft" };

export function drawLog(model: RunModel, lines: readonly RunLogLine[], picture: RowsPicture): Content {
  return element(
    "section",
    { "aria-labelledby": "log" },
    element("h2", { id: "log" }, "Log"),
    drawList("log", lines.length, picture, logRows(model, lines, picture)),
  );
}

function logRows(model: RunModel, lines: readonly RunLogLine[], picture: RowsPicture): Content {
  const { route } = picture;
  const from = model.view?.state.createdAt ?? 0;
  return rowsInRange(lines, picture, ({ at, symbol, text, key }, attributes) =>
    element(
      "li",
      { ...attributes, class: "row" },
      element("span", { class: "soft number" }, offset(at, from)),
      element("span", { class: `mark ${lineTones[symbol] ?? "warn"}`, "aria-hidden": "true" }, symbol),
      key === undefined
        ? element("span", { class: "rest" }, text)
        : element("a", { class: "rest", href: route && addressOf({ ...route, node: pathOf(key) }) }, text),
    ),
  );
}

/** A link in the page; in a file, only its text. */
function nodeLink(key: string, route: Route | undefined): Content {
  if (route === undefined) return element("b", { class: "title" }, key);
  const path = pathOf(key);
  const isHere = route.node === path;
  return element(
    "a",
    { class: "title", href: addressOf({ ...route, node: path }), "aria-current": isHere && "true" },
    key,
  );
}

/** The path of the node that a call belongs to. */
export function pathOf(key: string): string {
  return key.replace(/:\w+$/, "").replace(/\?\d+$/, "");
}

type RowAttributes = Readonly<Record<string, string | number | undefined>>;

/** A list of any length in which only the rows of the range exist. In a file, all do. */
function drawList(kind: RowKind, length: number, { route }: RowsPicture, rows: Content): Content {
  if (length === 0) return element("p", { class: "soft" }, "Nothing here.");
  if (route === undefined) return element("ol", { class: `list still ${kind}` }, rows);
  return element("ol", { class: `list ${kind}`, id: "rows", style: `height:calc(${length} * var(--row))` }, rows);
}

function rowsInRange<Row>(
  rows: readonly Row[],
  { range, route }: RowsPicture,
  draw: (row: Row, attributes: RowAttributes) => Content,
): Content {
  if (route === undefined) return rows.map((row) => draw(row, {}));
  const to = Math.min(range.to, rows.length);
  const from = Math.min(range.from, Math.max(0, to - 1));
  return rows.slice(from, to).map((row, index) => {
    const number = from + index;
    return draw(row, {
      key: number,
      // How high a row is depends on the width of the screen; the style knows.
      style: `top:calc(${number} * var(--row));height:var(--row)`,
      "aria-setsize": rows.length,
      "aria-posinset": number + 1,
    });
  });
}
