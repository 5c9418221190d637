// `@atomic/workflows/graph`, for programs that check, draw, store or run graphs themselves. A workflow file needs none of this.
export { type CompiledGraph, type CompileOptions, compileGraph } from "./graph/compile.ts";
export { entityNamesFile } from "./graph/entity-names-file.ts";
export type { GraphJson, NodeJson } from "./graph/graph-json.ts";
export { type GraphResult, interpreterOf, interpreterVersion } from "./graph/interpret/interpret.ts";
export { type LoadedWorkflow, loadWorkflowWithParts } from "./graph/load-workflow.ts";
export { drawGraph, toMermaid } from "./graph/pictures.ts";
export { readGraph } from "./graph/read-graph.ts";
export { nodeHostOf } from "./hosts/node-host-of.ts";
