// What a node of a run said, whether the run has ended or not.
import type { LocalEngine } from "../run/engine.ts";
import type { Json } from "../run/json.ts";
import type { CallState, RunState } from "../run/run-state.ts";
import { type GraphJson, nodesWithPaths } from "./graph-json.ts";

export type NodeOutput =
  /** `key` is the path of the call: of a loop's iterations, the last one that ended. `iterations` are all that have begun. */
  | { readonly kind: "said"; readonly key: string; readonly output: Json; readonly iterations: readonly string[] }
  /** It runs, waits, has failed, or has not begun: `call` says which. */
  | { readonly kind: "silent"; readonly key: string; readonly call: CallState | undefined }
  /** It ran for several items of a map, or in several tasks or subgraphs: only a path says which of them is meant. */
  | { readonly kind: "several"; readonly keys: readonly string[] }
  | { readonly kind: "unknown"; readonly nodes: readonly string[] };

/** @param node Its id, or its path in the run, such as `review.1/check`. */
export async function nodeOutput(
  engine: Pick<LocalEngine, "load">,
  state: RunState,
  node: string,
): Promise<NodeOutput> {
  const { runId, status, calls, signals } = state;
  const nodes = new Map<string, string>();
  for (const { node: each } of nodesWithPaths(state.graph as unknown as GraphJson)) nodes.set(each.id, each.kind);
  const id = node.slice(node.lastIndexOf("/") + 1);
  const kind = nodes.get(id);
  if (kind === undefined) return { kind: "unknown", nodes: [...nodes.keys()] };
  let last: { readonly key: string; readonly call: CallState } | undefined;
  const begun = new Set<string>();
  for (const [key, call] of calls) {
    // The output of a reply that was corrected is in the step of its last correction.
    const said = key.replace(/:repair\d+$/, "");
    if (said !== node && (node !== id || said.slice(said.lastIndexOf("/") + 1) !== id)) continue;
    begun.add(said);
    if (last === undefined || hasEnded(call)) last = { key, call };
  }
  const iterations = [...begun];
  // What differs only in the number of an iteration ran one after the other.
  if (new Set(iterations.map((key) => key.replace(/#\d+/g, ""))).size > 1) return { kind: "several", keys: iterations };
  if (last?.call.kind === "step" && last.call.phase.kind === "finished") {
    // A decision's step has its label as the result; the others' steps also have what becomes of the state.
    const path = kind === "decision" ? [] : ["output"];
    const output = await engine.load(runId, last.call.phase.result, path);
    if (output !== undefined) return { kind: "said", key: last.key, output, iterations };
  }
  if (last?.call.kind === "wait" && signals.has(last.key)) {
    return { kind: "said", key: last.key, output: signals.get(last.key) ?? null, iterations };
  }
  // Of a node that has no step of its own, only the run's result has the output.
  const isMeant = last !== undefined || node === id;
  const output =
    isMeant && status.kind === "done" ? await engine.load(runId, status.result, ["outputs", id]) : undefined;
  if (output !== undefined) return { kind: "said", key: last?.key ?? node, output, iterations };
  return { kind: "silent", key: last?.key ?? node, call: last?.call };
}

/** What it said at each path, one after the other: together they may be too much to hold. */
export async function* outputsAt(
  engine: Pick<LocalEngine, "load">,
  state: RunState,
  found: NodeOutput,
): AsyncGenerator<{ readonly key: string; readonly output: Json }> {
  if (found.kind === "said" && found.iterations.length <= 1) yield { key: found.key, output: found.output };
  const keys = found.kind === "several" ? found.keys : found.kind === "said" ? found.iterations : [];
  if (keys.length <= 1) return;
  for (const each of keys) {
    const one = await nodeOutput(engine, state, each);
    if (one.kind === "said") yield { key: one.key, output: one.output };
  }
}

function hasEnded(call: CallState): boolean {
  if (call.kind === "step") return call.phase.kind === "finished";
  return call.kind === "wait" && call.phase === "signalled";
}
