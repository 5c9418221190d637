import type { Json } from "../../run/json.ts";
import type { WorkflowName } from "../entity-names.ts";
import { type Graph, isGraph } from "../graph.ts";
import { GraphError } from "../graph-error.ts";
import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { type ActingOptions, acting, idOf } from "./options.ts";

export interface SubgraphNodeConfig<S> extends ActingOptions<S> {
  /** A graph, or the name of a workflow. */
  readonly graph: Graph | WorkflowName;
  /** Makes the input of the graph inside; keys of its state take their first values from it. Default: the same input. */
  readonly input?: ((state: S) => Json | Promise<Json>) | undefined;
}

/**
 * Runs a whole graph as one node, with a state of its own. The output is its state at the end.
 *
 * @example
 * subgraphNode({ graph: "review", input: (state) => ({ files: state.changed }), output: ({ verdict }) => ({ verdict }) });
 */
export function subgraphNode<S = BaseState>(config: SubgraphNodeConfig<S>): NodeDefinition<S> {
  const { graph, input } = config;
  if (typeof graph !== "string" && !isGraph(graph)) throw noGraph(config.id);
  const name = typeof graph === "string" ? graph : graph.name;
  return defineNode(config.id, idOf("subgraph", name), (id, assembler) => ({
    kind: "subgraph",
    ...acting(id, config, assembler),
    ...(typeof graph === "string" ? { workflow: graph } : { graph: assembler.inside(id, graph.assemble()) }),
    ...present({ input: input && assembler.fn(id, "input", input) }),
  }));
}

/** Types would have said so, but not everybody has them checked. */
function noGraph(id: string | undefined): GraphError {
  const message = 'A subgraphNode needs a "graph".';
  const hint = "Give it a graph that defineGraph() made, or the name of a workflow.";
  return new GraphError(id ?? "subgraph", [{ code: "bad-shape", message, hint }]);
}
