import type { NodeJson, NodesJson } from "@atomic/workflows/internal/graph/graph-json";
import type { Json } from "@atomic/workflows/internal/run/json";

export type NodeKinds = ReadonlyMap<string, NodeJson["kind"]>;

/** The kind of each node of a stored graph by its id, wherever in the graph it is. */
export function kindsOf(graph: Json): NodeKinds {
  const { nodes = [] } = (typeof graph === "object" && graph !== null ? graph : {}) as { readonly nodes?: NodesJson };
  const kinds = new Map<string, NodeJson["kind"]>();
  // Everything in a graph that has a kind and an id is a node.
  JSON.stringify(nodes, (_, value: unknown) => {
    const node = value as Partial<NodeJson> | null;
    if (typeof node === "object" && typeof node?.kind === "string" && typeof node.id === "string") {
      kinds.set(node.id, node.kind);
    }
    return value;
  });
  return kinds;
}

/** Ids of the nodes that ask the user. */
export function askingNodes(graph: Json): readonly string[] {
  return [...kindsOf(graph)].flatMap(([id, kind]) => (kind === "wait" || kind === "ask-user" ? [id] : []));
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
