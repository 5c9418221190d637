import { expect, test } from "bun:test";
import { toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { noEntities, runGraph } from "./run-graph.ts";

test("a node may have any id", async () => {
  const compiled = graph({ name: "x" })
    .start(toolNode({ id: "__proto__", run: () => ({ a: 1 }) }))
    .parallel({ branches: [toolNode({ id: "constructor", run: ({ outputs }) => Object.keys(outputs) })] })
    .compile(noEntities);
  const { outputs } = (await runGraph(compiled)).result;
  expect(Object.entries(outputs)).toEqual([
    ["__proto__", { a: 1 }],
    ["constructor", ["__proto__"]],
    ["parallel", expect.anything()],
  ]);
});

test("a branch's changes are invisible to its siblings, and to functions called before", async () => {
  const seen: string[][] = [];
  const look = (id: string) => toolNode({ id, run: ({ outputs }) => void seen.push([id, ...Object.keys(outputs)]) });
  const compiled = graph({ name: "x" })
    .start(look("first"))
    .parallel({
      id: "fan",
      branches: [
        [look("a"), look("b")],
        [look("c"), look("d")],
      ],
    })
    .then(look("last"))
    .compile(noEntities);
  await runGraph(compiled);
  expect(seen.sort()).toEqual([
    ["a", "first"],
    ["b", "first", "a"],
    ["c", "first"],
    ["d", "first", "c"],
    ["first"],
    ["last", "first", "a", "b", "c", "d", "fan"],
  ]);
});
