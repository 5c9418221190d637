// The one interpreter. Between its calls on `ctx` it only follows the graph: what was decided is in the journal, so a run
// that is resumed makes the same calls again and gets the same answers.
import { isDeepStrictEqual } from "node:util";
import type { EntityRegistry } from "../../entities/registry.ts";
import type { Interpret } from "../../run/engine.ts";
import type { Json } from "../../run/json.ts";
import type { RunCtx } from "../../run/run-ctx.ts";
import { RunError } from "../../run/run-error.ts";
import { recordError, StepFailedError } from "../../run/step-errors.ts";
import { bindGraph, type CompiledGraph, type CompileOptions } from "../compile.ts";
import { GraphError } from "../graph-error.ts";
import type { DecisionJson, NodeJson, NodeKind, NodeOfKind, NodesJson, SubgraphJson, TryJson } from "../graph-json.ts";
import { jsonOf } from "../json-value.ts";
import type { Services } from "../services.ts";
import { runAnswer, runClearContext, runPrompt, runTool } from "./actions.ts";
import { runParallel } from "./branches.ts";
import { runCriteriaLoop, runLoop, runTaskLoop } from "./loops.ts";
import { Memory } from "./memory.ts";
import { takeOutput } from "./result.ts";
import { call, type Scope } from "./scope.ts";

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

export async function runDecision(scope: Scope, node: DecisionJson, path: string): Promise<void> {
  const taken = await scope.ctx.step(path, () => decide(scope, node), { local: true });
  const at = node.routes.findIndex(({ label }) => label === taken);
  const nodes = node.routes[at]?.nodes ?? node.otherwise;
  scope.memory.take(node.id, { output: taken });
  await scope.runNodes({ ...scope, prefix: `${path}.${at < 0 ? node.routes.length : at}/` }, nodes);
}

async function decide(scope: Scope, { id, routes }: DecisionJson): Promise<string> {
  for (const { label, when } of routes) if (await call(scope, id, when, scope.memory.view())) return label;
  return "otherwise";
}

export async function runSubgraph(scope: Scope, node: SubgraphJson, path: string): Promise<void> {
  const { graph } = node;
  if (graph === undefined) throw new Error(`The workflow "${node.workflow}" was not compiled into the graph.`);
  const memory = Memory.begin(graph.state, await inputOf(scope, node, path));
  const functionsAt = `${scope.functionsAt}${node.id}/`;
  await scope.runNodes({ ...scope, graph, functionsAt, found: new Map(), memory, prefix: `${path}/` }, graph.nodes);
  scope.memory.usd += memory.usd;
  scope.memory.text = memory.text ?? scope.memory.text;
  await takeOutput(scope, node, path, memory.values);
}

async function inputOf(scope: Scope, { id, input }: SubgraphJson, path: string): Promise<Json> {
  if (input === undefined) return scope.memory.input;
  const make = async (): Promise<Json> =>
    jsonOf(await call(scope, id, input, scope.memory.view()), `The input of the graph in "${id}"`);
  return await scope.ctx.step(`${path}:input`, make, { local: true });
}
