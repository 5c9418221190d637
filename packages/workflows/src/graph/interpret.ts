// The one interpreter. Between its calls on `ctx` it only follows the graph: what was decided is in the journal, so a run
// that is resumed makes the same calls again and gets the same answers.
import { isDeepStrictEqual } from "node:util";
import type { EntityRegistry } from "../entities/registry.ts";
import type { Interpret } from "../run/engine.ts";
import type { Json } from "../run/json.ts";
import type { RunCtx } from "../run/run-ctx.ts";
import { RunError } from "../run/run-error.ts";
import { recordError, StepFailedError } from "../run/step-errors.ts";
import { bindGraph, type CompiledGraph, type CompileOptions } from "./compile.ts";
import { GraphError } from "./graph-error.ts";
import type { NodeJson, NodeKind, NodeOfKind, NodesJson, TryJson } from "./graph-json.ts";
import { runAnswer } from "./interpret/answer.ts";
import { runClearContext } from "./interpret/clear-context.ts";
import { runCriteriaLoop } from "./interpret/criteria-loop.ts";
import { runDecision } from "./interpret/decision.ts";
import { runLoop } from "./interpret/loop.ts";
import { Memory } from "./interpret/memory.ts";
import { runParallel } from "./interpret/parallel.ts";
import { runPrompt } from "./interpret/prompt.ts";
import type { Scope } from "./interpret/scope.ts";
import { runSubgraph } from "./interpret/subgraph.ts";
import { runTaskLoop } from "./interpret/task-loop.ts";
import { runTool } from "./interpret/tool.ts";
import type { Services } from "./services.ts";

/** Changes when the same graph would make other calls, or the same ones in another order. */
export const interpreterVersion = "1";

/** How a graph ended. */
export type GraphResult = {
  readonly state: { readonly [key: string]: Json };
  readonly outputs: { readonly [id: string]: Json };
};

/**
 * Runs a graph. Rejects with the `StepFailedError` of a node that failed and that nobody handles.
 *
 * @example
 * await interpretGraph(ctx, builder.compile(registry), { topic: "locks" }, { host });
 */
export async function interpretGraph(
  ctx: RunCtx,
  compiled: CompiledGraph,
  input: Json,
  services: Services,
): Promise<GraphResult> {
  const graph = compiled.json;
  const memory = Memory.begin(graph.state, input);
  await runNodes(
    { ctx, compiled, services, graph, functionsAt: "", found: new Map(), prefix: "", memory, runNodes },
    graph.nodes,
  );
  return { state: memory.values, outputs: memory.outputs };
}

/** For an engine: runs the graph that is stored with the run, with the functions of the one compiled now. */
export function interpreterOf(
  compiled: CompiledGraph,
  registry: EntityRegistry,
  services: Services,
  options?: CompileOptions,
): Interpret {
  // Without entities there is nothing that could have changed since it was compiled, or that has to be looked for again.
  const isWhole = compiled.entities.size === 0;
  return async (ctx, { graph, input }) => {
    const isSame = isWhole && isDeepStrictEqual(graph, compiled.json);
    const bound = isSame ? compiled : boundOrDiverged(ctx.runId, () => bindGraph(graph, compiled, registry, options));
    return await interpretGraph(ctx, bound, input, services);
  };
}

/** A graph that does not fit today's module is not the run's fault: it can go on with the module of yesterday. */
function boundOrDiverged(runId: string, bind: () => CompiledGraph): CompiledGraph {
  try {
    return bind();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    throw new RunError("diverged", {
      message: `The run ${runId} cannot go on: ${error.message.replace(/\s*\n\s*/g, " ")}`,
      at: runId,
      hint: "Resume it with the version of the workflow that began it.",
      cause: error,
    });
  }
}

type Runner<K extends NodeKind> = (scope: Scope, node: NodeOfKind<K>, path: string) => Promise<void>;

const runners: { readonly [K in NodeKind]: Runner<K> } = {
  agent: runPrompt,
  skill: runPrompt,
  command: runPrompt,
  tool: runTool,
  wait: runAnswer,
  "ask-user": runAnswer,
  "clear-context": runClearContext,
  subgraph: runSubgraph,
  decision: runDecision,
  parallel: runParallel,
  loop: runLoop,
  "task-loop": runTaskLoop,
  "criteria-loop": runCriteriaLoop,
  try: runTry,
};

function runNodes(scope: Scope, nodes: NodesJson): Promise<void> {
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? runNode(scope, only) : runInOrder(scope, nodes);
}

async function runInOrder(scope: Scope, nodes: NodesJson): Promise<void> {
  for (const node of nodes) await runNode(scope, node);
}

function runNode(scope: Scope, node: NodeJson): Promise<void> {
  const path = scope.prefix + node.id;
  const run = runners[node.kind] as Runner<NodeKind>;
  const onError = "onError" in node ? node.onError : undefined;
  if (onError === undefined) return run(scope, node, path);
  return handled(scope, () => run(scope, node, path), onError === "continue" ? [] : onError, path);
}

async function runTry(scope: Scope, { nodes, handler }: TryJson, path: string): Promise<void> {
  await handled(scope, () => runNodes({ ...scope, prefix: `${path}/` }, nodes), handler, path);
}

async function handled(scope: Scope, run: () => Promise<void>, handler: NodesJson, path: string): Promise<void> {
  try {
    await run();
  } catch (error) {
    // Anything else is not a failure of a node, but of the interpreter or of what runs it.
    if (!(error instanceof StepFailedError)) throw error;
    scope.memory.error = recordError(error);
    await runNodes({ ...scope, prefix: `${path}!/` }, handler);
  }
}
