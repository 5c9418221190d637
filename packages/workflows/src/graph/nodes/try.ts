import { defineNode, type NodeDefinition, type Nodes } from "../node-definition.ts";

/** Runs `handler` when one of `nodes` fails, and goes on. */
export function tryNode<S>(nodes: Nodes<S>, handler: Nodes<S>): NodeDefinition<S> {
  return defineNode(undefined, "try", (id, assembler) => ({
    kind: "try",
    id,
    nodes: assembler.nodes(nodes),
    handler: assembler.nodes(handler),
  }));
}
