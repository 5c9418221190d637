import { type GraphBuilder, type GraphOptions, graph } from "./builder.ts";
import type { Graph } from "./graph.ts";
import type { ArgumentsJson } from "./graph-arguments.ts";
import type { StateDefinition, StateOf } from "./state.ts";

/**
 * A workflow of one's own: what a module in `.atomic/workflows` exports as its default.
 *
 * @example
 * export default defineGraph({ name: "tidy", description: "Tidies up and commits" }, (graph) =>
 *   graph.start(skillNode({ skill: "tidy" })).then(skillNode({ skill: "commit" })),
 * );
 *
 * @example
 * const args = { topic: { type: "rest", required: true }, depth: { type: "number", default: 2 } } as const;
 * export default defineGraph({ name: "research", arguments: args }, (graph) =>
 *   graph.start(agentNode({ prompt: ({ input }) => `Read about ${input.topic}, ${input.depth} levels deep.` })),
 * );
 */
// biome-ignore lint/complexity/noBannedTypes: a state without keys, and no arguments.
export function defineGraph<D extends StateDefinition = {}, const A extends ArgumentsJson = {}>(
  options: GraphOptions<D, A>,
  build: (graph: GraphBuilder<StateOf<D, A>>) => GraphBuilder<StateOf<D, A>>,
): Graph {
  return build(graph(options)).toGraph();
}
