// One node: what its agent was told, said and did, what came of it, and what it changed.
import { type Content, element } from "@atomic/workflows/internal/view/page-element";
import { formatSpent, formatTime } from "../../report/format.ts";
import type { NodeView } from "../../view/node-view.ts";
import { type TranscriptPart, transcriptParts } from "../../view/transcript.ts";
import type { NodeDetail } from "./messages.ts";
import type { PageActions, PageState } from "./page-state.ts";
import { addressOf, counted, joined, nodeMark, nodeTones, type Route, tookText } from "./words.ts";

interface NodePicture extends Pick<PageState, "now" | "whole" | "copied"> {
  readonly act: PageActions | undefined;
}

/** Beside the run. */
export function drawNodePanel(
  path: string,
  node: NodeView | undefined,
  detail: NodeDetail | undefined,
  picture: NodePicture & { readonly route: Route },
): Content {
  const back = addressOf({ ...picture.route, node: undefined });
  return element(
    "aside",
    { class: "panel", "aria-labelledby": "node-title", key: path },
    element(
      "header",
      {},
      element("h2", { id: "node-title", tabindex: -1 }, path),
      element("a", { class: "close", href: back, "aria-label": "Close" }, "✕"),
    ),
    node !== undefined && drawFacts(node, picture.now),
    detail === undefined
      ? element("p", { class: "soft" }, "Loading…")
      : isEmpty(detail) && node === undefined
        ? element("p", { class: "soft" }, "This run has no such node.")
        : drawDetail(detail, picture),
  );
}

function drawFacts(node: NodeView, now: number): Content {
  const { label, status, startedAt, cost, attempt, error } = node;
  const line = joined(label, tookText(node, now), attempt > 1 && `attempt ${attempt}`, formatSpent(cost));
  return [
    element(
      "p",
      { class: "name" },
      nodeMark(status),
      element("b", { class: nodeTones[status] }, status),
      element("span", { class: "soft number" }, line),
    ),
    startedAt !== undefined && element("p", { class: "soft number" }, `started ${formatTime(startedAt)}`),
    error !== undefined && element("pre", { class: "long bad", tabindex: 0 }, error),
  ];
}

function isEmpty({ output, transcript }: NodeDetail): boolean {
  return output === undefined && transcript.length === 0;
}

/** Everything that is recorded about it. */
export function drawDetail(detail: NodeDetail, picture: NodePicture): Content {
  const { key, output, transcript, session } = detail;
  const parts = transcriptParts(transcript);
  const said = parts.filter(({ kind }) => kind !== "diff");
  const diffs = parts.filter(({ kind }) => kind === "diff");
  return [
    session !== undefined &&
      element(
        "p",
        { class: "session" },
        element("span", { class: "soft" }, `${session.host} session `),
        element("code", {}, session.command ?? session.id),
        picture.act !== undefined &&
          element(
            "button",
            { type: "button", class: "quiet", onclick: picture.act.copy(session.command ?? session.id) },
            picture.copied === (session.command ?? session.id) ? "Copied" : "Copy",
          ),
      ),
    output !== undefined && part("Output", longText(`${key} output`, output, picture), true),
    diffs.map(({ text }, at) => part("Files changed", drawDiff(`${key} diff ${at}`, text, picture), true)),
    said.length > 0 && part("Conversation", element("ol", { class: "talk" }, talk(said, key, picture)), true),
    isEmpty(detail) && element("p", { class: "soft" }, "Nothing is recorded here yet."),
  ];
}

function part(title: string, content: Content, isOpen: boolean): Content {
  return element("details", { open: isOpen }, element("summary", {}, title), content);
}

/** A tool's call and its result are one entry. */
function talk(parts: readonly TranscriptPart[], key: string, picture: NodePicture): readonly Content[] {
  const results = new Map(
    parts.flatMap((each) => (each.kind === "result" || each.kind === "failure" ? [[each.id, each] as const] : [])),
  );
  const shown = new Set<TranscriptPart>();
  return parts.flatMap((each, at) => {
    const name = `${key} ${at}`;
    const result = each.kind === "call" ? results.get(each.id) : undefined;
    if (shown.has(each)) return [];
    if (result !== undefined) shown.add(result);
    if (each.kind !== "call" && each.kind !== "result" && each.kind !== "failure" && each.kind !== "system") {
      return element("li", { class: each.kind }, element("h3", {}, each.heading), longText(name, each.text, picture));
    }
    const [tool = "tool"] = each.heading.split(" was called");
    const isFailed = each.kind === "failure" || result?.kind === "failure";
    const title = each.kind === "system" ? "system prompt" : tool;
    return element(
      "li",
      { class: "tool" },
      element(
        "details",
        {},
        element(
          "summary",
          {},
          element("b", {}, title),
          element("span", { class: "soft rest" }, ` ${firstLine(each.text)}`),
          isFailed && element("span", { class: "bad" }, " failed"),
        ),
        longText(name, each.text, picture),
        result !== undefined && [element("h3", {}, result.heading), longText(`${name} result`, result.text, picture)],
      ),
    );
  });
}

/** Of an input such as `{ "command": "npm test" }`, what is in it. */
function firstLine(text: string): string {
  const [, value] = /^\{\s*"\w+":\s*"(.*)"/.exec(text) ?? [];
  return (value ?? text.split("\n", 1)[0] ?? "").slice(0, 120);
}

const longestShown = 50_000;

/** A text as it is. A very long one is shown in part until you ask for all of it. */
function longText(name: string, text: string, { act, whole }: NodePicture): Content {
  if (text.trim() === "") return element("p", { class: "soft" }, "(nothing)");
  const isCut = act !== undefined && text.length > longestShown && !whole.has(name);
  return [
    element("pre", { class: "long", tabindex: 0 }, isCut ? text.slice(0, longestShown) : text),
    isCut &&
      element(
        "button",
        { type: "button", class: "quiet", onclick: act.showWhole(name) },
        `Show all ${counted(text.length, "character")}`,
      ),
  ];
}

const mostLines = 1500;

function drawDiff(name: string, text: string, { act, whole }: NodePicture): Content {
  const lines = text.trimEnd().split("\n");
  const isCut = act !== undefined && lines.length > mostLines && !whole.has(name);
  const shown = isCut ? lines.slice(0, mostLines) : lines;
  const kindOf = (line: string): string => {
    if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line)) return "file";
    if (line.startsWith("@@")) return "hunk";
    return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
  };
  return [
    element(
      "pre",
      { class: "diff", tabindex: 0 },
      shown.map((line) => element("span", { class: kindOf(line) }, `${line}\n`)),
    ),
    isCut &&
      element(
        "button",
        { type: "button", class: "quiet", onclick: act.showWhole(name) },
        `Show all ${counted(lines.length, "line")}`,
      ),
  ];
}
