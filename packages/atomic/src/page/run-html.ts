// A run as one file that needs no network, no scripts and no server: for an issue, a colleague, an archive. Drawn by the same code as
// the live page. Pure.
import { type Content, element, stillPage } from "@atomic/workflows/internal/view/page-element";
import { pageStyle } from "@atomic/workflows/internal/view/page-style";
import type { NodeView } from "../view/node-view.ts";
import { drawGraph } from "./draw/graph.ts";
import type { NodeDetail } from "./draw/messages.ts";
import { drawDetail } from "./draw/node.ts";
import { drawQuestions } from "./draw/questions.ts";
import { drawLog, drawTimeline } from "./draw/rows.ts";
import { drawBudget, drawHead, drawProblems } from "./draw/run.ts";
import type { RunModel } from "./draw/run-model.ts";
import { runStyle } from "./draw/style.ts";
import { nodeMark } from "./draw/words.ts";

/** @param details What each node was told, said and did, in the order in which they began. */
export function runHtml(model: RunModel, details: readonly NodeDetail[], now: number): string {
  const { view, runId } = model;
  if (view === undefined) throw new Error(`The run ${runId} has no events.`);
  const numbers = new Map(details.map(({ key }, at) => [key, `node-${at}`]));
  const anchorOf = (path: string): string | undefined => (numbers.has(path) ? `#${numbers.get(path)}` : undefined);
  const picture = { now, range: { from: 0, to: 0 }, route: undefined };
  const graph = drawGraph(model.tree, {
    ...picture,
    view,
    act: undefined,
    toggled: new Map(),
    whole: new Set(),
    anchorOf,
  });
  const section = (id: string, title: string, content: Content): Content =>
    element("section", { "aria-labelledby": id }, element("h2", { id }, title), content);
  return stillPage(
    `${view.state.name ?? "run"} ${runId}`,
    pageStyle + runStyle,
    element(
      "main",
      {},
      drawHead(view, now),
      element("p", { class: "budget" }, drawBudget(view.state)),
      drawProblems(model, view, undefined),
      drawQuestions(model.now?.questions ?? [], undefined, false),
      section("graph", "Graph", graph),
      drawTimeline(model, model.rows, picture),
      details.length > 0 &&
        section(
          "nodes",
          "What agents were told, said and did",
          details.map((each) => drawOne(each, numbers, model)),
        ),
      element("details", {}, element("summary", {}, "Log"), drawLog(model, model.log, picture)),
    ),
  );
}

function drawOne(detail: NodeDetail, numbers: ReadonlyMap<string, string>, model: RunModel): Content {
  const node: NodeView | undefined = model.find(detail.key);
  const picture = { now: 0, whole: new Set<string>(), copied: undefined, act: undefined };
  return element(
    "details",
    { id: numbers.get(detail.key) },
    element("summary", {}, node !== undefined && nodeMark(node.status), ` ${detail.key}`),
    drawDetail(detail, picture),
  );
}
