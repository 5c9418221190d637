// The front door: all that a workflow file needs, and `run` for a program that runs one. Inside the package nobody imports
// through it, and it loads only what describes a graph: whatever runs one is loaded by `run`.
export { type GraphBuilder, graph } from "./graph/builder.ts";
export { defineGraph } from "./graph/define-graph.ts";
export type { Graph } from "./graph/graph.ts";
export { GraphError, type GraphProblem } from "./graph/graph-error.ts";
export type { BaseState, NodeDefinition, Nodes } from "./graph/node-definition.ts";
export { agentNode } from "./graph/nodes/agent.ts";
export { askUserNode } from "./graph/nodes/ask-user.ts";
export { clearContextNode } from "./graph/nodes/clear-context.ts";
export { commandNode } from "./graph/nodes/command.ts";
export { criteriaLoopNode } from "./graph/nodes/criteria-loop.ts";
export { decisionNode } from "./graph/nodes/decision.ts";
export { loopNode } from "./graph/nodes/loop.ts";
export { parallelNode } from "./graph/nodes/parallel.ts";
export { skillNode } from "./graph/nodes/skill.ts";
export { subgraphNode } from "./graph/nodes/subgraph.ts";
export { taskLoopNode } from "./graph/nodes/task-loop.ts";
export { toolNode } from "./graph/nodes/tool.ts";
export { waitNode } from "./graph/nodes/wait.ts";
export { promptFile } from "./graph/prompt-file.ts";
export { append, last, max, merge, reduced, type StateOf, sum, type UpdateOf } from "./graph/state.ts";
export type { Json } from "./run/json.ts";
export type { StepInfo } from "./run/run-ctx.ts";
export { RunError } from "./run/run-error.ts";
export { PermanentError, RateLimitError, StepFailedError } from "./run/step-errors.ts";
export { type RunOptions, type RunQuestion, type RunResult, run } from "./run-graph.ts";
export { hasSignal } from "./tasks/completion-signal.ts";
