// The one interpreter. Between its calls on `ctx` it only follows the graph: what was decided is in the journal, so a run
// that is resumed makes the same calls again and gets the same answers.
import { isDeepStrictEqual } from "node:util";
import type { EntityRegistry } from "../../entities/registry.ts";
import type { Interpret } from "../../run/engine.ts";
import type { Json } from "../../run/json.ts";
import { holding } from "../../run/large-part.ts";
import { RunError } from "../../run/run-error.ts";
import { recordError, StepFailedError } from "../../run/step-errors.ts";
import { answerOf } from "../answer.ts";
import { bindGraph, type CompiledGraph, type CompileOptions } from "../compile.ts";
import { GraphError } from "../graph-error.ts";
import type { DecisionJson, NodeJson, NodeKind, NodeOfKind, NodesJson, SubgraphJson } from "../graph-json.ts";
import { jsonOf } from "../json-value.ts";
import { checkInput } from "../read-arguments.ts";
import type { Services } from "../services.ts";
import { runAnswer, runClearContext, runPrompt, runTool } from "./actions.ts";
import { runParallel } from "./branches.ts";
import { runMap } from "./items.ts";
import { runCriteriaLoop, runLoop, runTaskLoop } from "./loops.ts";
import { Memory } from "./memory.ts";
import { takeOutput } from "./result.ts";
import { callFunction, failure, type GraphScope } from "./scope.ts";

/** Changes when the same graph would make other calls, or the same ones in another order. */
export const interpreterVersion = "1";

/** How a graph ended. */
export type GraphResult = {
  readonly state: { readonly [key: string]: Json };
  readonly outputs: { readonly [id: string]: Json };
  /** What the graphs inside subgraphs said at their end, by the subgraphs' ids. Undefined if there are none. */
  readonly answers?: { readonly [id: string]: Json };
  /** Nodes with a handler, by their ids: whether it ran in the node's last iteration. Undefined if none ever ran. */
  readonly handled?: { readonly [id: string]: Json };
};

/**
 * For an engine: runs the graph that is stored with the run, with the functions of the one compiled now. A run rejects with
 * the `StepFailedError` of a failed node that has no handler.
 */
export function interpreterOf(
  compiled: CompiledGraph,
  registry: EntityRegistry,
  services: Services,
  options?: CompileOptions,
): Interpret {
  // Without entities, nothing could have changed since it was compiled, so nothing has to be looked up again.
  const isWhole = compiled.entities.size === 0;
  return async (ctx, { graph: stored, input }): Promise<GraphResult> => {
    let bound = compiled;
    try {
      if (!isWhole || !isDeepStrictEqual(stored, compiled.json)) bound = bindGraph(stored, compiled, registry, options);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      // A graph that does not fit today's module is not the run's fault: yesterday's module can resume it.
      throw new RunError("diverged", {
        message: `The run ${ctx.runId} cannot continue: ${error.message.replace(/\s*\n\s*/g, " ")}`,
        at: ctx.runId,
        hint: "Resume it with the version of the workflow that started it.",
        cause: error,
      });
    }
    const graph = bound.json;
    const memory = Memory.begin(graph.state, input);
    await runNodes(
      { ctx, compiled: bound, services, graph, functionsAt: "", found: new Map(), prefix: "", memory, runNodes },
      graph.nodes,
    );
    const { values: state, outputs, answers, handled } = memory;
    const isEmpty = Object.keys(answers).length === 0;
    return { state, outputs, ...(!isEmpty && { answers }), ...(handled !== undefined && { handled }) };
  };
}

type Runner<K extends NodeKind> = (scope: GraphScope, node: NodeOfKind<K>, path: string) => Promise<void>;

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
  map: runMap,
  loop: runLoop,
  "task-loop": runTaskLoop,
  "criteria-loop": runCriteriaLoop,
  try: (scope, { id, nodes, handler }, path) =>
    runHandled(scope, id, () => runNodes({ ...scope, prefix: `${path}/` }, nodes), handler, path),
};

function runNodes(scope: GraphScope, nodes: NodesJson): Promise<void> {
  const [only] = nodes;
  if (only !== undefined && nodes.length === 1) return runNode(scope, only);
  return (async () => {
    for (const node of nodes) await runNode(scope, node);
  })();
}

function runNode(scope: GraphScope, node: NodeJson): Promise<void> {
  const path = scope.prefix + node.id;
  const run = runners[node.kind] as Runner<NodeKind>;
  const onError = "onError" in node ? node.onError : undefined;
  if (onError === undefined) return run(scope, node, path);
  return runHandled(scope, node.id, () => run(scope, node, path), onError === "continue" ? [] : onError, path);
}

/** Runs the handler's nodes if a node fails. */
async function runHandled(
  scope: GraphScope,
  id: string,
  run: () => Promise<void>,
  handler: NodesJson,
  path: string,
): Promise<void> {
  try {
    await run();
    scope.memory.takeHandled(id, false);
  } catch (error) {
    // Anything else is not a failure of a node, but of the interpreter or of what runs it.
    if (!(error instanceof StepFailedError)) throw error;
    scope.memory.error = recordError(error);
    await runNodes({ ...scope, prefix: `${path}!/` }, handler);
    scope.memory.takeHandled(id, true);
  }
}

async function runDecision(scope: GraphScope, { id, routes, otherwise }: DecisionJson, path: string): Promise<void> {
  const taken = await scope.ctx.step<string>(
    path,
    async () => {
      for (const { label, when } of routes) if (await callFunction(scope, id, when, scope.memory.view())) return label;
      return "otherwise";
    },
    { local: true },
  );
  const at = routes.findIndex(({ label }) => label === taken);
  scope.memory.take(id, { output: taken });
  const prefix = `${path}.${at < 0 ? routes.length : at}/`;
  await runNodes({ ...scope, prefix }, routes[at]?.nodes ?? otherwise);
}

async function runSubgraph(scope: GraphScope, node: SubgraphJson, path: string): Promise<void> {
  const { id, graph, input: makeInput } = node;
  if (graph === undefined) throw new Error(`The workflow "${node.workflow}" was not compiled into the graph.`);
  let { input } = scope.memory;
  if (makeInput !== undefined) {
    input = await scope.ctx.step<Json>(
      `${path}:input`,
      async () =>
        jsonOf(await callFunction(scope, id, makeInput, scope.memory.view()), `The input for the graph in "${id}"`),
      { local: true },
    );
  }
  if (graph.arguments !== undefined) {
    const { input: checked, problems } = checkInput(graph.arguments, input, "any");
    if (problems.length > 0) {
      const message = `The input for the graph "${graph.name}" in "${id}" does not fit: ${problems.join(" ")}`;
      throw failure(path, "InputError", message);
    }
    input = checked;
  }
  const memory = Memory.begin(graph.state, input);
  const functionsAt = `${scope.functionsAt}${id}/`;
  await runNodes({ ...scope, graph, functionsAt, found: new Map(), memory, prefix: `${path}/` }, graph.nodes);
  scope.memory.usd += memory.usd;
  scope.memory.lastText = memory.lastText ?? scope.memory.lastText;
  await takeOutput(scope, node, path, holding(memory.values));
  const answer = await answerOf(graph.nodes, async (each, of = "outputs") => memory[of]?.[each]);
  if (answer !== undefined) scope.memory.takeAnswer(id, answer.value);
}
