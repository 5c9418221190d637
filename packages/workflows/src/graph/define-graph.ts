import { type GraphBuilder, type GraphOptions, graph } from "./builder.ts";
import type { Graph } from "./graph.ts";
import type { StateDefinition, StateOf } from "./state.ts";

/**
 * A workflow of one's own: what a module in `.atomic/workflows` exports as its default.
 *
 * @example
 * export default defineGraph({ name: "tidy", description: "Tidies up and commits" }, (graph) =>
 *   graph.start(skillNode({ skill: "tidy" })).then(skillNode({ skill: "commit" })),
 * );
 */
// biome-ignore lint/complexity/noBannedTypes: a state without keys.
export function defineGraph<D extends StateDefinition = {}>(
  options: GraphOptions<D>,
  build: (graph: GraphBuilder<StateOf<D>>) => GraphBuilder<StateOf<D>>,
): Graph {
  return build(graph(options)).toGraph();
}
