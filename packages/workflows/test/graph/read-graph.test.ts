import { describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { GraphError } from "../../src/graph/graph-error.ts";
import type { GraphJson } from "../../src/graph/graph-json.ts";
import { readGraph } from "../../src/graph/read-graph.ts";
import { sample } from "./sample.ts";

const minimal = { version: 1, name: "x", state: {}, nodes: [{ kind: "clear-context", id: "a" }] };
const withNode = (node: object): object => ({ ...minimal, nodes: [node] });

test("a graph with every kind of node is read back unchanged", () => {
  const { json } = sample();
  expect(readGraph(JSON.parse(JSON.stringify(json)))).toEqual(json);
});

describe("anything that is not a graph is refused, with its place:", () => {
  const loop = { kind: "loop", id: "l", nodes: [], maxIterations: 1, onIncomplete: "continue" };
  test.each<[unknown, string]>([
    [null, "the graph: must be an object, not null."],
    [[], "the graph: must be an object, not a list."],
    ["x", 'the graph: must be an object, not "x".'],
    [
      { ...minimal, version: 2 },
      "The graph has version 2, but this program only supports version 1. Update Atomic to read this graph.",
    ],
    [{ ...minimal, version: "1" }, "version: must be 1."],
    [{ ...minimal, name: "" }, 'name: must be text that is not empty, not "".'],
    [{ ...minimal, extra: 1 }, "extra: is not a valid key here."],
    [{ ...minimal, state: { n: { initial: 0, reducer: "avg" } } }, 'state.n.reducer: must be "last" or'],
    [{ ...minimal, state: { n: { reducer: "sum" } } }, "state.n.initial: is missing."],
    [
      { ...minimal, state: { outputs: { initial: 0, reducer: "last" } } },
      'The name "outputs" is reserved in the state',
    ],
    [withNode({ kind: "agnet", id: "a" }), "nodes[0].kind: must be a valid node kind: agent, skill,"],
    [withNode({ kind: "constructor", id: "a" }), "nodes[0].kind: must be a valid node kind"],
    [withNode({ kind: "skill", id: "a" }), "nodes[0].skill: is missing."],
    [withNode({ kind: "tool", id: "a" }), "nodes[0]: must be an object with tool or run."],
    [withNode({ kind: "agent", id: "a", prompt: "text" }), "nodes[0].prompt: must be an object with value or fn."],
    [withNode({ kind: "agent", id: "a", prompt: { value: 1 } }), "nodes[0].prompt.value: must be text, not 1."],
    [withNode({ kind: "agent", id: "a", permissions: "maybe" }), 'nodes[0].permissions: must be "allow" or'],
    [withNode({ kind: "agent", id: "a", permissions: { bash: 1 } }), 'nodes[0].permissions.bash: must be "allow" or'],
    [withNode({ kind: "agent", id: "a", onError: "stop" }), 'nodes[0].onError: must be a list, not "stop".'],
    [withNode({ kind: "agent", id: "a", onError: [{}] }), "nodes[0].onError[0].kind: must be a valid node kind"],
    [withNode({ kind: "subgraph", id: "a" }), "nodes[0].graph: is missing."],
    [withNode({ kind: "subgraph", id: "a", graph: { ...minimal, nodes: 1 } }), "nodes[0].graph.nodes: must be a list"],
    [withNode({ ...loop }), "nodes[0].until: is missing."],
    [withNode({ ...loop, until: { fn: "until" }, maxIterations: 0 }), "l: This loop may never end"],
    [
      withNode({ ...loop, until: { fn: "until" }, maxIterations: Number.NaN }),
      "nodes[0].maxIterations: must be a non-negative whole",
    ],
  ])("%j", (value, message) => {
    expect(() => readGraph(value)).toThrow(GraphError);
    expect(() => readGraph(value)).toThrow(message);
  });
});

test("all problems come at once", () => {
  const value = {
    ...minimal,
    version: 0,
    nodes: [
      { kind: "skill", id: 1 },
      { kind: "loop", id: "l", until: {} },
    ],
  };
  expect(() => readGraph(value)).toThrow("has 7 problems");
});

test("a key of every object's prototype is not a key of the data", () => {
  const text =
    '{"version":1,"name":"x","state":{"__proto__":{"initial":1,"reducer":"last"}},"nodes":[{"kind":"wait","id":"a","prompt":{"value":"?"},"__proto__":{}}]}';
  expect(() => readGraph(JSON.parse(text))).toThrow("nodes[0].__proto__: is not a valid key here.");
});

test("data that is too deep is refused and does not overflow the stack", () => {
  let nodes: unknown = [];
  for (let depth = 0; depth < 20_000; depth++) nodes = [{ kind: "try", id: `t${depth}`, nodes, handler: [] }];
  expect(() => readGraph({ ...minimal, nodes })).toThrow("The graph is nested more than 400 levels deep.");
});

test("a graph with any one value broken is refused, or is another graph", () => {
  const text = JSON.stringify(sample().json);
  let refused = 0;
  for (const broken of brokenOnes(JSON.parse(text))) {
    try {
      expect(JSON.stringify(readGraph(broken))).not.toBe(text);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(300);
});

/** The same graph over and over, each time with another value replaced by one of another type. */
function* brokenOnes(graph: GraphJson): Iterable<unknown> {
  const paths: (readonly (string | number)[])[] = [];
  const collect = (value: unknown, path: readonly (string | number)[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key]);
  };
  collect(graph, []);
  for (const path of paths) {
    for (const other of [null, 7.5, "", [], {}, [null]]) {
      const copy = structuredClone(graph) as unknown as Record<string | number, unknown>;
      let at = copy;
      for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
      const key = path.at(-1) ?? "";
      if (isDeepStrictEqual(at[key], other)) continue;
      at[key] = other;
      yield copy;
    }
  }
}
