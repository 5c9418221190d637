// A run continues, but its workflow is no longer the one that it began with. You decide what that means.
import { isDeepStrictEqual } from "node:util";
import { type AnswerReading, ask, canAsk } from "@atomic/terminal/questions";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";
import { compareGraphs, isUnchanged, planRestart } from "@atomic/workflows/internal/graph/compare-graphs";
import { type GraphJson, nodesWithPaths } from "@atomic/workflows/internal/graph/graph-json";
import { changedFiles } from "@atomic/workflows/internal/modules/source-files";
import type { RunRevised } from "@atomic/workflows/internal/run/events";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import type { AtomicContext } from "../context.ts";
import { setupOf, setupToJson } from "../runs/run-setup.ts";
import { changeLines } from "../view/workflow-change.ts";
import type { LoadedGraph } from "./load-graph.ts";

export interface RevisionChoice {
  /** Continue with the graph that the run began with, and the functions of the file as it is now. */
  readonly keepGraph: boolean;
  /** Continue with the graph of the file as it is now, from this node on. */
  readonly from: string | undefined;
}

type Revision = Omit<RunRevised, "type">;

/** What to record before the run continues. Undefined if nothing has changed. */
export async function decideRevision(
  context: AtomicContext,
  state: RunState,
  loaded: LoadedGraph,
  { keepGraph, from }: RevisionChoice,
  json: boolean,
): Promise<Revision | undefined> {
  const { runId } = state;
  const recorded = state.graph as unknown as GraphJson;
  const current = loaded.compiled.json;
  const setup = setupOf(state.workspace);
  const workspace = setup === undefined ? (state.workspace ?? null) : setupToJson({ ...setup, source: loaded.source });
  const { source } = setup ?? {};
  const graph = compareGraphs(recorded, current);
  const files = source === undefined ? [] : changedFiles(source.files, loaded.source.files);
  // A graph may depend on more than files, and a difference that was accepted before is accepted.
  const isSame = source === undefined ? isUnchanged(graph) : files.length === 0 && source.graph === loaded.source.graph;
  const lines = isSame ? [] : changeLines({ files, graph });
  const what = safe`${current.name} has changed since ${runId} was started`;
  const report = (then: string): void => {
    const text = `${what}; the run ${then}:\n${lines.map((line) => `  ${line}\n`).join("")}`;
    if (!isSame && !json) context.stderr.write(text);
  };
  const restartFrom = (node: string, isReported: boolean): Revision => {
    const { keep, runToo } = planRestart(recorded, current, node);
    refuseOtherInside(state, recorded, current, keep);
    if (!isReported) report("continues with the new graph");
    if (!json && runToo.length > 0) {
      const why = runToo.length === 1 ? "runs first: it is new, or its" : "run first: they are new, or their";
      context.stderr.write(`${safe`${runToo.join(", ")} ${why} kind has changed`}\n`);
    }
    return { workspace, restart: { graph: current as Json, from: node, keep } };
  };
  if (from !== undefined) {
    refuseUnlessOutermost(current, from);
    return restartFrom(from, false);
  }
  if (isSame) return undefined;
  // Runs of older versions have not recorded their files. They continue as they always have.
  if (source === undefined || keepGraph) report("keeps the graph it began with");
  if (source === undefined) return undefined;
  if (keepGraph) return { workspace };
  const isAsked = !json && canAsk(context) && context.caller.agent() === undefined;
  const chosen = isAsked ? await askChoice(context, `${what}:\n`, lines, current) : undefined;
  if (chosen === "keep") return { workspace };
  if (chosen !== undefined) return restartFrom(chosen.from, true);
  const retry = state.status.kind === "failed" ? " --retry" : "";
  throw new Refusal("workflow-changed", {
    message: [isAsked ? `${runId} was left as it is` : `${what}:`, ...(isAsked ? [] : lines)].join("\n"),
    hint: [
      "To continue with the graph it began with, and the functions as they are now:",
      `  atomic resume ${runId}${retry} --keep-graph`,
      "To continue with the new graph, from a node on:",
      `  atomic resume ${runId} --from <node>`,
    ].join("\n"),
    exitCode: 4,
  });
}

async function askChoice(
  context: AtomicContext,
  title: string,
  lines: readonly string[],
  { nodes }: GraphJson,
): Promise<"keep" | { readonly from: string } | undefined> {
  const ids = nodes.map(({ id }) => id);
  const words = [
    "  keep    continue with the graph it began with, and the functions as they are now",
    `  <node>  continue with the new graph, from this node on: ${ids.join(", ")}`,
    "  stop    leave the run as it is",
  ];
  context.stderr.write(`${title}${lines.map((line) => `  ${line}\n`).join("")}${words.join("\n")}\n`);
  const read = (typed: string): AnswerReading<"keep" | "stop" | { readonly from: string }> => {
    const word = typed.trim();
    if (word === "keep" || word === "stop") return { value: word };
    if (ids.includes(word)) return { value: { from: word } };
    const [best] = didYouMean(word, [...ids, "keep", "stop"]);
    return { problem: `Type keep, stop or the name of a node${best === undefined ? "" : ` (did you mean ${best}?)`}.` };
  };
  const signal = context.interrupted ?? new AbortController().signal;
  const chosen = await ask(context, "  keep, a node or stop: ", signal, read);
  return chosen === "stop" ? undefined : chosen;
}

/**
 * A node can only be kept with the nodes that it had inside, a parallel node with as many branches as it was begun with, and a
 * map with the same items: what is recorded would otherwise be taken for something else.
 */
function refuseOtherInside(
  { runId, calls }: RunState,
  recorded: GraphJson,
  current: GraphJson,
  keep: readonly string[],
): void {
  const other = current.nodes.find((node) => {
    const was = keep.includes(node.id) ? recorded.nodes.find(({ id }) => id === node.id) : undefined;
    if (was === undefined) return false;
    const inside = compareGraphs({ ...recorded, nodes: [was] }, { ...current, nodes: [node] });
    if ([inside.added, inside.removed, inside.moved].some(({ length }) => length > 0)) return true;
    if (inside.changed.some(({ options }) => options.includes("kind"))) return true;
    const call = calls.get(node.id);
    if (call?.kind !== "fork") return false;
    if (node.kind === "map") {
      // A list that a function made is recorded; one in its place, or the other way round, may have other items.
      return was.kind !== "map" || !isDeepStrictEqual(was.over, node.over);
    }
    return node.kind === "parallel" && (node.branches.length !== call.branches.length || node.strategy !== call.join);
  });
  if (other === undefined) return;
  throw new Refusal("node-changed", {
    message: safe`${other.id} has other nodes, branches or items inside than this run began with, so it cannot be kept`,
    hint: safe`Continue from ${other.id}: atomic resume ${runId} --from ${other.id}`,
    exitCode: 2,
  });
}

function refuseUnlessOutermost(graph: GraphJson, from: string): void {
  const ids = graph.nodes.map(({ id }) => id);
  if (ids.includes(from)) return;
  const isInside = [...nodesWithPaths(graph)].some(({ node, at }) => node.id === from || at === from);
  const [best] = didYouMean(from, ids);
  const meant = best === undefined ? "" : safe` (did you mean ${best}?)`;
  throw new Refusal("node-unknown", {
    message: isInside
      ? safe`${graph.name} can only be restarted at one of its outermost nodes, and ${from} is inside of one`
      : `${safe`${graph.name} has no node "${from}"`}${meant}`,
    hint: safe`Its outermost nodes are: ${ids.join(", ")}.`,
    exitCode: 2,
  });
}
