import type { NodeJson, NodesJson } from "./graph-json.ts";

/** Nodes inside a node, and what they are to it. The graph inside a subgraph is a world of its own and not among them. */
export interface Part {
  /** Where they stand in the data: `routes[0].nodes`. */
  readonly at: string;
  readonly nodes: NodesJson;
}

export function partsOf(node: NodeJson): readonly Part[] {
  const handler =
    "onError" in node && node.onError !== "continue" ? [{ at: "onError", nodes: node.onError ?? [] }] : [];
  switch (node.kind) {
    case "decision":
      return [...numbered("routes", node.routes), { at: "otherwise", nodes: node.otherwise }];
    case "parallel":
      return numbered("branches", node.branches);
    case "loop":
    case "task-loop":
    case "criteria-loop":
      return [{ at: "nodes", nodes: node.nodes }];
    case "try":
      return [
        { at: "nodes", nodes: node.nodes },
        { at: "handler", nodes: node.handler },
      ];
    default:
      return handler;
  }
}

function numbered(name: string, list: readonly { readonly nodes: NodesJson }[]): Part[] {
  return list.map(({ nodes }, at) => ({ at: `${name}[${at}].nodes`, nodes }));
}

/** Every node, the outer ones first, in the order in which they are written. */
export function* allNodes(nodes: NodesJson): Iterable<NodeJson> {
  for (const node of nodes) {
    yield node;
    for (const part of partsOf(node)) yield* allNodes(part.nodes);
  }
}

/** The same nodes, each replaced by what `change` makes of it after its parts. */
export function mapNodes(nodes: NodesJson, change: (node: NodeJson) => NodeJson): NodesJson {
  return nodes.map((node) => change(withParts(node, (part) => mapNodes(part, change))));
}

function withParts(node: NodeJson, change: (nodes: NodesJson) => NodesJson): NodeJson {
  const inner = <T extends { readonly nodes: NodesJson }>(each: T): T => ({ ...each, nodes: change(each.nodes) });
  switch (node.kind) {
    case "decision":
      return { ...node, routes: node.routes.map(inner), otherwise: change(node.otherwise) };
    case "parallel":
      return { ...node, branches: node.branches.map(inner) };
    case "loop":
    case "task-loop":
    case "criteria-loop":
      return inner(node);
    case "try":
      return { ...inner(node), handler: change(node.handler) };
    case "clear-context":
      return node;
    default:
      if (node.onError === undefined || node.onError === "continue") return node;
      return { ...node, onError: change(node.onError) };
  }
}
