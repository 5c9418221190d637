// The keys of a map's items, and a map as data.
import { describe, expect, test } from "bun:test";
import { toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { bindGraph } from "../../src/graph/compile.ts";
import { GraphError } from "../../src/graph/graph-error.ts";
import { itemKeys } from "../../src/graph/interpret/item-keys.ts";
import { mapNode } from "../../src/graph/map-node.ts";
import { drawGraph, toMermaid } from "../../src/graph/pictures.ts";
import { readGraph } from "../../src/graph/read-graph.ts";
import { append } from "../../src/graph/state.ts";
import { review } from "./map-sample.ts";
import { mermaidProblems } from "./mermaid-grammar.ts";
import { noEntities } from "./run-graph.ts";

describe("keys", () => {
  test("follow from the item alone, and equal items are numbered", () => {
    expect(itemKeys(["a", "src/a.ts", 7, { id: 1 }, "", "a", "a", "a-2"])).toEqual([
      "a",
      "src-a-ts-g0pixx5c",
      "7",
      "id-1-i6xlmzh7",
      "danubflx",
      "a~2",
      "a~3",
      "a-2",
    ]);
    const [alone] = itemKeys(["src/a.ts"]);
    expect(itemKeys(["new", "src/a.ts"])).toContain(alone!);
  });

  test("are unique for any list, and can be part of a path", () => {
    const items = Array.from({ length: 5000 }, (_, at) => [`f/${at}.ts`, at, { at }, "x".repeat(at % 300), " "]).flat();
    const keys = itemKeys(items);
    expect(new Set(keys).size).toBe(items.length);
    expect(keys.filter((key) => !/^[\w-]{1,60}(~\d+)?$/.test(key))).toEqual([]);
  });
});

describe("as data", () => {
  test("it is drawn, as a tree and as Mermaid, and is the same after writing and reading it", () => {
    expect(drawGraph(review.json)).toBe("x\n└─ review   for each file\n   ├─ look  agent\n   └─ sum   agent\n");
    const chart = toMermaid(review.json);
    expect(mermaidProblems(chart)).toEqual([]);
    expect(chart).toContain("each");
    expect(readGraph(JSON.parse(JSON.stringify(review.json)))).toEqual(review.json);
  });

  test("mistakes are reported when the graph is compiled", () => {
    const work = toolNode({ id: "t", run: () => 1 });
    const problemsOf = (build: () => unknown): readonly string[] => {
      try {
        build();
      } catch (error) {
        if (error instanceof GraphError) return error.problems.map(({ at, message }) => `${at}: ${message}`);
        throw error;
      }
      return [];
    };
    const compile = (config: object): readonly string[] =>
      problemsOf(() =>
        graph({ name: "x", state: { word: "", list: append<string>() } })
          .start(mapNode({ id: "m", over: [], as: "file", nodes: work, ...config } as never))
          .compile(noEntities),
      );
    expect(compile({})).toEqual([]);
    expect(compile({ as: "word" })).toEqual(['m: The state already has "word", so an item cannot be called that.']);
    expect(compile({ as: "input" })).toEqual(['m: The state already has "input", so an item cannot be called that.']);
    expect(compile({ as: "a file" })).toEqual(['m: "as" must be a name such as "file", not "a file".']);
    expect(compile({ nodes: [] })).toEqual(["nodes[0].nodes: needs at least one node."]);
    expect(compile({ over: "list" })).toEqual(['nodes[0].over.value: must be a list, not "list".']);
    expect(compile({ limit: 0 })).toEqual(["nodes[0].limit: must be a positive whole number, not 0."]);
    expect(compile({ into: "wrod" })).toEqual(['m: The state has no "wrod" to hold the output.']);
    expect(compile({ into: "list", merge: () => ({}) })).toEqual([
      "m: A map with a merge function cannot have `into`, too.",
    ]);
    expect(compile({ nodes: toolNode({ id: "t", run: () => 1, into: "word" as never }) })).toEqual([
      'm: Every item writes "word", so all but one value would be lost.',
    ]);
    expect(compile({ nodes: mapNode({ id: "in", over: [], as: "file", nodes: work }) })).toEqual([
      'in: The items of the map around it are called "file", too.',
    ]);
  });

  test("a module that lost the list's function cannot continue the run", () => {
    expect(() => bindGraph(review.json, { functions: new Map() }, noEntities)).toThrow(
      'The module no longer has the function "over" for this node.',
    );
  });
});
