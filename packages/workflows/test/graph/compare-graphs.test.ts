import { describe, expect, test } from "bun:test";
import { agentNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { defineGraph, type GraphBuilder, graph } from "../../src/graph/builder.ts";
import { compareGraphs, isUnchanged, planRestart } from "../../src/graph/compare-graphs.ts";
import { loopNode } from "../../src/graph/control-nodes.ts";
import type { GraphJson } from "../../src/graph/graph-json.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { noEntities } from "./run-graph.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever state the graph has
type AnyBuilder = GraphBuilder<any>;

const jsonOf = (builder: AnyBuilder): GraphJson => builder.compile(noEntities).json;
const tool = (id: string, more: object = {}) => toolNode({ id, run: () => 1, ...more });
const line = (...ids: readonly string[]): AnyBuilder =>
  ids.reduce<AnyBuilder>((builder, id) => builder.then(tool(id)), graph({ name: "line" }) as AnyBuilder);

/** In a few words, to compare. */
function changes(before: AnyBuilder, after: AnyBuilder): string[] {
  const { added, removed, moved, changed, declared } = compareGraphs(jsonOf(before), jsonOf(after));
  return [
    ...added.map(({ at, kind, after: previous }) => `+ ${at} ${kind} after ${previous}`),
    ...removed.map(({ at }) => `- ${at}`),
    ...moved.map(({ at, after: previous }) => `~ ${at} after ${previous}`),
    ...changed.map(({ at, options }) => `${at}: ${options.join()}`),
    ...declared,
  ];
}

describe("of a sequence", () => {
  test.each<[string, string, string[]]>([
    ["a b c", "a b c", []],
    ["a b", "a x b", ["+ x tool after a"]],
    ["a b", "x a b", ["+ x tool after undefined"]],
    ["a b c", "a c", ["- b"]],
    ["a b", "b a", ["~ b after undefined"]],
    ["a b c d", "a c d b", ["~ b after d"]],
    ["a b c", "c b a", ["~ c after undefined", "~ b after c"]],
    ["a b", "a renamed", ["+ renamed tool after a", "- b"]],
  ])("%s to %s", (before, after, expected) => {
    expect(changes(line(...before.split(" ")), line(...after.split(" ")))).toEqual(expected);
  });
});

test("options are named, but what only documents a node is not", () => {
  const before = graph({ name: "g" }).start(agentNode({ id: "a", prompt: "one", model: "big", description: "old" }));
  const after = graph({ name: "g" }).start(
    agentNode({ id: "a", prompt: () => "two", model: "big", timeoutMs: 5, description: "new" }),
  );
  expect(changes(before, after)).toEqual(["a: prompt,timeoutMs"]);
  const kinds = graph({ name: "g" }).start(waitNode({ id: "a", prompt: "Ok?" }));
  expect(changes(before, kinds)).toEqual(["a: kind,model,prompt"]);
});

test("functions are not compared: only their code can differ", () => {
  const one = graph({ name: "g" }).start(toolNode({ id: "a", run: () => 1 }));
  const other = graph({ name: "g" }).start(toolNode({ id: "a", run: () => 2 }));
  expect(isUnchanged(compareGraphs(jsonOf(one), jsonOf(other)))).toBe(true);
});

test("nodes inside of others are found, and may move from one to the other", () => {
  const inner = (id: string) => defineGraph({ name: "inner" }, (builder) => builder.start(tool(id)));
  const build = (loop: readonly string[], no: readonly string[], last: string): AnyBuilder =>
    graph({ name: "g" })
      .start(
        loopNode(
          loop.map((id) => tool(id)),
          { id: "loop", until: () => true, maxIterations: 3 },
        ),
      )
      .if(() => true, { id: "choice" })
      .then(tool("yes"))
      .else()
      .then(no.map((id) => tool(id)))
      .endif()
      .then(subgraphNode({ id: "sub", graph: inner(last) }));
  expect(changes(build(["a", "b"], ["no"], "x"), build(["a"], ["no", "b"], "y"))).toEqual([
    "+ sub/y tool after undefined",
    "- sub/x",
    "~ b after no",
  ]);
});

test("what the graph declares is named", () => {
  const before = graph({ name: "g", state: { count: 0 } }).start(tool("a"));
  const after = graph({ name: "g", state: { count: 1 } }).start(tool("a"));
  expect(changes(before as AnyBuilder, after as AnyBuilder)).toEqual(["state"]);
});

test("a restart keeps what came before and still is what it was", () => {
  const before = jsonOf(line("a", "b", "c"));
  const after = jsonOf(
    graph({ name: "line" })
      .start(tool("b"))
      .then(waitNode({ id: "a", prompt: "Ok?" }))
      .then(tool("new"))
      .then(tool("c")),
  );
  expect(planRestart(before, after, "c")).toEqual({ keep: ["b"], runToo: ["a", "new"] });
  expect(planRestart(before, before, "a")).toEqual({ keep: [], runToo: [] });
});
