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
