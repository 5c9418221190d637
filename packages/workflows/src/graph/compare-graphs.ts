// What differs between the graph that a run began with and the one that its file describes now. Pure.
import { createHash } from "node:crypto";
import type { GraphJson, NodeJson, NodesJson } from "./graph-json.ts";

/** Nodes by their paths, such as `review/check`. */
export interface GraphChanges {
  readonly added: readonly NodeChange[];
  readonly removed: readonly NodeChange[];
  readonly moved: readonly NodeChange[];
  /** With the names of the options that differ. */
  readonly changed: readonly (NodeChange & { readonly options: readonly string[] })[];
  /** What the graph itself declares: `state`, `arguments`. */
  readonly declared: readonly string[];
}

interface NodeChange {
  readonly at: string;
  readonly kind: NodeJson["kind"];
  /** The node before it, of those that run one after the other. Undefined: it is the first. */
  readonly after?: string | undefined;
}

export function compareGraphs(before: GraphJson, after: GraphJson): GraphChanges {
  const [old, now] = [placesIn(before), placesIn(after)];
  const moved = movedNodes(old, now);
  const changed = [...now.values()].flatMap(({ at, node, after: previous }) => {
    const was = old.get(at);
    const options = was === undefined ? [] : differences(ownOptions(was.node), ownOptions(node));
    return options.length === 0 ? [] : [{ at, kind: node.kind, after: previous, options }];
  });
  const only = (those: Places, others: Places): NodeChange[] =>
    [...those.values()]
      .filter(({ at }) => !others.has(at))
      .map(({ at, node, after }) => ({ at, kind: node.kind, after }));
  return {
    added: only(now, old),
    removed: only(old, now),
    moved,
    changed,
    declared: differences(
      { state: before.state, arguments: before.arguments },
      { state: after.state, arguments: after.arguments },
    ),
  };
}

export function isUnchanged({ added, removed, moved, changed, declared }: GraphChanges): boolean {
  return [added, removed, moved, changed, declared].every(({ length }) => length === 0);
}

/** Equal for graphs that run the same way, up to the code of their functions and what their names mean. */
export function graphHash({ entities: _entities, ...graph }: GraphJson): string {
  return createHash("sha256").update(canonical(graph)).digest("hex").slice(0, 16);
}

export interface RestartPlan {
  /** The nodes before it whose results are kept. */
  readonly keep: readonly string[];
  /** Nodes before it that run all the same: they are new, or of another kind than they were. */
  readonly runToo: readonly string[];
}

/** What runs if a run that began with one graph continues with another, from one of its outermost nodes on. */
export function planRestart(before: GraphJson, after: GraphJson, from: string): RestartPlan {
  const known = new Map(before.nodes.map(({ id, kind }) => [id, kind]));
  const earlier = after.nodes.slice(
    0,
    after.nodes.findIndex(({ id }) => id === from),
  );
  const isKept = ({ id, kind }: NodeJson): boolean => known.get(id) === kind;
  return {
    keep: earlier.filter(isKept).map(({ id }) => id),
    runToo: earlier.filter((node) => !isKept(node)).map(({ id }) => id),
  };
}

interface NodePlace {
  readonly at: string;
  readonly node: NodeJson;
  /** The sequence that it is part of: `fan.1`, `loop`, or empty for the graph's own. */
  readonly sequence: string;
  readonly after: string | undefined;
}

type Places = ReadonlyMap<string, NodePlace>;

function placesIn({ nodes }: GraphJson, prefix = "", sequence = ""): Places {
  const places = new Map<string, NodePlace>();
  const visit = (inner: NodesJson, within: string): void => {
    let after: string | undefined;
    for (const node of inner) {
      const at = prefix + node.id;
      places.set(at, { at, node, sequence: within, after });
      after = at;
      if (node.kind === "decision") {
        for (const { label, nodes: route } of node.routes) visit(route, `${at}.${label}`);
        visit(node.otherwise, `${at}.otherwise`);
      } else if (node.kind === "parallel") {
        for (const { label, nodes: branch } of node.branches) visit(branch, `${at}.${label}`);
      } else if ("nodes" in node) visit(node.nodes, at);
      const handler = node.kind === "try" ? node.handler : "onError" in node ? node.onError : undefined;
      if (handler !== undefined && handler !== "continue") visit(handler, `${at}!`);
      if (node.kind === "subgraph" && node.graph !== undefined) {
        for (const [path, place] of placesIn(node.graph, `${at}/`, at)) places.set(path, place);
      }
    }
  };
  visit(nodes, sequence);
  return places;
}

/** Those that are elsewhere now, or have another order: as few as explain it. */
function movedNodes(old: Places, now: Places): NodeChange[] {
  const both = [...now.values()].filter(({ at }) => old.has(at));
  const inPlace = new Set<string>();
  const sequences = new Set(both.map(({ sequence }) => sequence));
  for (const sequence of sequences) {
    const order = both.filter((each) => each.sequence === sequence && old.get(each.at)?.sequence === sequence);
    const ranks = [...old.values()].filter((each) => order.some(({ at }) => at === each.at)).map(({ at }) => at);
    for (const at of longestCommon(
      ranks,
      order.map((each) => each.at),
    ))
      inPlace.add(at);
  }
  return both.filter(({ at }) => !inPlace.has(at)).map(({ at, node, after }) => ({ at, kind: node.kind, after }));
}

/** The longest sequence that both have in this order. */
function longestCommon(one: readonly string[], other: readonly string[]): readonly string[] {
  const best: string[][] = Array.from({ length: other.length + 1 }, () => []);
  for (const each of one) {
    let diagonal: string[] = [];
    for (let at = 1; at <= other.length; at += 1) {
      const above = best[at] as string[];
      const left = best[at - 1] as string[];
      const found = other[at - 1] === each ? [...diagonal, each] : above.length >= left.length ? above : left;
      diagonal = above;
      best[at] = found;
    }
  }
  return best[other.length] as string[];
}

/** A node without the nodes inside of it. */
function ownOptions(node: NodeJson): Readonly<Record<string, unknown>> {
  const { id: _id, description: _description, ...options } = node as NodeJson & { readonly description?: string };
  const labels = (inner: readonly { readonly label: string }[]): readonly string[] => inner.map(({ label }) => label);
  const own: Record<string, unknown> = { ...options };
  if (node.kind === "decision") Object.assign(own, { routes: labels(node.routes), otherwise: undefined });
  if (node.kind === "parallel") own.branches = labels(node.branches);
  if (node.kind === "subgraph") own.graph = undefined;
  if (Array.isArray(own.onError)) own.onError = "nodes";
  return { ...own, nodes: undefined, handler: undefined };
}

function differences(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): string[] {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].filter((key) => canonical(one[key]) !== canonical(other[key])).sort();
}

/** JSON that is equal for equal values, in whatever order their keys are. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  }) as string;
}
