import type { AskUserJson, NodeJson, NodesJson, WaitJson } from "@atomic/workflows/internal/graph/graph-json";
import type { Json } from "@atomic/workflows/internal/run/json";

export type NodeKinds = ReadonlyMap<string, NodeJson["kind"]>;

/** The nodes of a stored graph by their id, wherever in the graph they are. */
function nodesById(graph: Json): ReadonlyMap<string, NodeJson> {
  const { nodes = [] } = (typeof graph === "object" && graph !== null ? graph : {}) as { readonly nodes?: NodesJson };
  const found = new Map<string, NodeJson>();
  // Everything in a graph that has a kind and an id is a node.
  JSON.stringify(nodes, (_, value: unknown) => {
    const node = value as Partial<NodeJson> | null;
    if (typeof node === "object" && typeof node?.kind === "string" && typeof node.id === "string") {
      found.set(node.id, node as NodeJson);
    }
    return value;
  });
  return found;
}

export function kindsOf(graph: Json): NodeKinds {
  return new Map([...nodesById(graph)].map(([id, { kind }]) => [id, kind]));
}

/** The nodes that ask the user, by their id. */
export function askingNodes(graph: Json): ReadonlyMap<string, WaitJson | AskUserJson> {
  const asking = new Map<string, WaitJson | AskUserJson>();
  for (const [id, node] of nodesById(graph)) if (node.kind === "wait" || node.kind === "ask-user") asking.set(id, node);
  return asking;
}

/** The node that asks under a key such as `loop#2/ask.0/database`, if the graph can come to it. */
export function askingNodeAt(graph: Json, key: string): WaitJson | AskUserJson | undefined {
  const steps = key.replace(/\?\d+$/, "").split("/");
  let { nodes } = graph as unknown as { readonly nodes?: NodesJson | undefined };
  for (const [at, step] of steps.entries()) {
    const [, id, part = ""] = /^([\w-]+)(!|[.#].+)?$/.exec(step) ?? [];
    const node = nodes?.find((each) => each.id === id);
    if (node === undefined) return undefined;
    if (at < steps.length - 1) nodes = nodesInside(node, part);
    else if (part === "" && (node.kind === "wait" || node.kind === "ask-user")) return node;
  }
  return undefined;
}

/** @param part What follows the node's id in a path: which branch, item or turn it is, or `!` for what handles its error. */
function nodesInside(node: NodeJson, part: string): NodesJson | undefined {
  if (part === "!") {
    const handler = node.kind === "try" ? node.handler : "onError" in node ? node.onError : undefined;
    return handler === "continue" ? undefined : handler;
  }
  const number = /^[.#]\d+$/.test(part) ? Number(part.slice(1)) : undefined;
  switch (node.kind) {
    case "subgraph":
      return part === "" ? node.graph?.nodes : undefined;
    case "try":
      return part === "" ? node.nodes : undefined;
    case "map":
      return part.startsWith(".") ? node.nodes : undefined;
    case "decision":
      return number === node.routes.length ? node.otherwise : node.routes[number ?? -1]?.nodes;
    case "parallel":
      return node.branches[number ?? -1]?.nodes;
    case "loop":
    case "task-loop":
    case "criteria-loop": {
      const most = typeof node.maxIterations === "number" ? node.maxIterations : Infinity;
      const turn = Number(/^#(\d+)(?:\.\d+)?$/.exec(part)?.[1] ?? 0);
      return turn >= 1 && turn <= most ? node.nodes : undefined;
    }
    default:
      return undefined;
  }
}

export interface KeyMeaning {
  /** The kind of node it is of; of a helper, what it helps with. */
  readonly text: string;
  /** Internal calls: of interest only when they hang or fail. */
  readonly isHelper: boolean;
}

/** What a call's key means: `look.1/agent-reader`, `loop#3:pick`, `ship?1`. */
export function meaningOf(key: string, kinds: NodeKinds): KeyMeaning {
  if (/\?\d+$/.test(key)) return { text: "question", isHelper: false };
  const [, id = key, helper] = /([\w-]+)(?::(\w+))?$/.exec(key) ?? [];
  if (helper !== undefined) return { text: helper, isHelper: true };
  // `loop#3`: whether this iteration was the last one.
  if (/#\d+(\.\d+)?$/.test(key)) return { text: "turn", isHelper: true };
  const kind = kinds.get(id);
  return { text: kind === "wait" || kind === "ask-user" ? "question" : (kind ?? "step"), isHelper: false };
}
