// A run's graph with its nodes as they are now: what happens after each other is below each other, branches are side by side.
import { formatDuration } from "@atomic/terminal/count";
import { type Content, element } from "@atomic/workflows/internal/view/page-element";
import { formatSpent } from "../../report/format.ts";
import { hasFailedItems, type NodeView } from "../../view/node-view.ts";
import { noteText } from "../../view/progress.ts";
import type { RunView } from "../../view/run-view.ts";
import type { PageActions, PageState } from "./page-state.ts";
import { addressOf, joined, nodeMark, nodeTones, type Route, tookText } from "./words.ts";

export interface GraphPicture extends Pick<PageState, "now" | "toggled" | "whole"> {
  readonly view: RunView;
  /** Leads to a node. Undefined in a file: all is on one page. */
  readonly route: Route | undefined;
  readonly act: PageActions | undefined;
  /** Where a node's own part of the page is, in a file. */
  readonly anchorOf?: (path: string) => string | undefined;
}

export function drawGraph(nodes: readonly NodeView[], picture: GraphPicture): Content {
  return element("ol", { class: "graph" }, sequence(nodes, picture));
}

function sequence(nodes: readonly NodeView[], picture: GraphPicture, around?: NodeView): readonly Content[] {
  return nodes.map((node) => drawNode(node, picture, around));
}

/** Of many items or iterations, so many are shown before you ask for all. */
const fewInside = 8;
/** More than this is in the log only. */
const mostInside = 1000;

const collapses: ReadonlySet<NodeView["kind"]> = new Set(["map", "loop", "task-loop", "criteria-loop"]);

function drawNode(node: NodeView, picture: GraphPicture, around: NodeView | undefined): Content {
  const { path, status, kind, inside, error } = node;
  const [only, ...others] = inside;
  // A branch of one node is that node.
  if (kind === "part" && around?.kind === "parallel" && only !== undefined && others.length === 0) {
    const label = only.name === node.name ? only.label : joined(node.name, only.label);
    return drawNode({ ...only, label }, picture, around);
  }
  const { toggled, act } = picture;
  const isMany = collapses.has(kind) || (kind === "part" && around !== undefined && collapses.has(around.kind));
  const isOver = status === "done" || status === "dropped" || status === "pending";
  const isOpen = toggled.get(path) ?? (!(isMany && isOver) || hasFailedItems(node));
  const attributes = { class: `node ${status} ${kind}`, key: path };
  // A map has the error of its first failed item, which is shown with the item.
  const isShownInside = isOpen && inside.some((each) => each.status === "failed");
  const said = [
    error !== undefined && !isShownInside && element("p", { class: "bad said" }, error.trim().slice(0, 400)),
    status === "running" && lastWord(node, picture),
  ];
  const head = headOf(node, picture);
  if (inside.length === 0) return element("li", attributes, element("div", { class: "head" }, head), said);
  // A page without scripts opens and closes by itself.
  if (act === undefined) {
    const summary = element("summary", { class: "head" }, head);
    return element("li", attributes, element("details", { open: isOpen }, summary, said, insideOf(node, picture)));
  }
  const fold = element(
    "button",
    {
      type: "button",
      class: "fold",
      "aria-expanded": String(isOpen),
      "aria-label": `What is inside ${node.name}`,
      onclick: act.toggle(path, !isOpen),
    },
    isOpen ? "▾" : "▸",
  );
  return element(
    "li",
    attributes,
    element("div", { class: "head" }, fold, head),
    said,
    isOpen && insideOf(node, picture),
  );
}

function insideOf(node: NodeView, picture: GraphPicture): Content {
  const { path, kind, inside } = node;
  const list = (nodes: readonly NodeView[]): Content =>
    element("ol", { class: kind === "parallel" ? "branches" : "inside" }, sequence(nodes, picture, node));
  if (!collapses.has(kind) || inside.length <= fewInside) return list(inside);
  const isFailed = (each: NodeView): boolean =>
    each.status === "failed" || hasFailedItems(each) || each.error !== undefined;
  // What failed comes first, then what is under way.
  const failed = inside.filter(isFailed);
  if (picture.act === undefined || picture.whole.has(path)) {
    const sorted = [...failed, ...inside.filter((each) => !isFailed(each))];
    const left = sorted.length - mostInside;
    return [
      list(sorted.slice(0, mostInside)),
      left > 0 && element("p", { class: "soft" }, `${left.toLocaleString("en-US")} more are in the log.`),
    ];
  }
  const open = inside.filter((each) => !isFailed(each) && !["done", "pending", "dropped"].includes(each.status));
  const shown = [...failed.slice(0, fewInside), ...open.slice(0, fewInside)];
  const few = shown.length > 0 ? shown : inside.slice(-1);
  const button = { type: "button", class: "quiet", onclick: picture.act.showWhole(path) };
  return [list(few), element("button", button, `Show all ${inside.length.toLocaleString("en-US")}`)];
}

function headOf(node: NodeView, { now, route, anchorOf }: GraphPicture): Content {
  const { path, name, label, status, cost, attempt, until } = node;
  const again =
    until === undefined ? "" : `${status === "retrying" ? "again" : "until"} in ${formatDuration(until - now)}`;
  const facts = joined(
    tookText(node, now),
    again,
    attempt > 1 && status !== "done" && `attempt ${attempt}`,
    formatSpent(cost),
  );
  const isLeaf = node.inside.length === 0;
  const to = route !== undefined ? addressOf({ ...route, node: path }) : isLeaf ? anchorOf?.(path) : undefined;
  const isHere = route !== undefined && route.node === path;
  return [
    nodeMark(status),
    to === undefined
      ? element("span", { class: "title" }, name)
      : element("a", { class: "title", href: to, "aria-current": isHere && "true" }, name),
    label !== "" && element("span", { class: "soft" }, label),
    // A sign for those who see no colours or symbols.
    element("span", { class: `status-word ${nodeTones[status]}` }, status),
    facts !== "" && element("span", { class: "facts number soft" }, facts),
  ];
}

/** What an agent last said or did. */
function lastWord({ path }: NodeView, { view: { notes } }: GraphPicture): Content {
  const text = noteText(notes.get(path) ?? notes.get(`${path}:session`));
  return text !== "" && element("p", { class: "soft said last-word" }, text);
}
