// The front door: everything that a workflow file needs, and `run` for a program that runs one. Files in this package do not
// import from it, and it loads only what describes a graph: `run` loads whatever runs one.
export {
  agentNode,
  askUserNode,
  clearContextNode,
  commandNode,
  skillNode,
  toolNode,
  waitNode,
} from "./graph/action-nodes.ts";
export { defineGraph, type GraphBuilder, graph } from "./graph/builder.ts";
export { criteriaLoopNode, decisionNode, loopNode, parallelNode, taskLoopNode } from "./graph/control-nodes.ts";
export { GraphError, type GraphProblem } from "./graph/graph-error.ts";
export { type ItemResult, mapNode } from "./graph/map-node.ts";
export type { Graph, NodeDefinition, Nodes } from "./graph/node-definition.ts";
export { promptFile } from "./graph/prompt-file.ts";
export type { StandardSchema } from "./graph/reply-schema.ts";
export { append, type BaseState, last, max, merge, reduced, type StateOf, sum, type UpdateOf } from "./graph/state.ts";
export { subgraphNode } from "./graph/subgraph-node.ts";
export type { Json } from "./run/json.ts";
export type { StepInfo } from "./run/run-ctx.ts";
export { RunError } from "./run/run-error.ts";
export { PermanentError, RateLimitError, StepFailedError } from "./run/step-errors.ts";
export { type OpenQuestion, outputOf, outputsOf, type RunGraphOptions, type RunResult, run } from "./run-graph.ts";
export { hasSignal } from "./tasks/completion-signal.ts";
