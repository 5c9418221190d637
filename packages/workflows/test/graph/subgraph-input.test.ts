import { expect, test } from "bun:test";
import { toolNode } from "../../src/graph/action-nodes.ts";
import { defineGraph, graph } from "../../src/graph/builder.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import type { Json } from "../../src/run/json.ts";
import { noEntities, runGraph } from "./run-graph.ts";

const needs = defineGraph(
  {
    name: "needs",
    state: { extra: 0 },
    arguments: { files: { type: "string", required: true }, n: { type: "number", default: 3 } },
  },
  (g) => g.then(toolNode({ id: "look", run: ({ input, extra }) => `${input.files} ${input.n} ${extra}` })),
);

async function lookedAt(config: Partial<Parameters<typeof subgraphNode>[0]>, input: Json = null): Promise<unknown> {
  const node = subgraphNode({ id: "sub", graph: needs, ...config } as never);
  const ended = await runGraph(graph({ name: "x" }).start(node).compile(noEntities), { input });
  return ended.status.kind === "failed" ? ended.status.error : ended.result.answers?.sub;
}

test.each<[string, Json, string]>([
  ["gets its defaults", { files: "a" }, "a 3 0"],
  ["keeps what is given", { files: "a", n: 4 }, "a 4 0"],
  ["begins with a state from the input, too", { files: "a", extra: 7 }, "a 3 7"],
  ["may look like a flag", { files: "--n=9" }, "--n=9 3 0"],
])("the input of a graph inside %s", async (_what, input, expected) => {
  expect(await lookedAt({ input: (() => input) as never })).toBe(expected);
  expect(await lookedAt({}, input)).toBe(expected);
});

test.each<[Json, string]>([
  [null, "--files is missing."],
  [{ n: 1 }, "--files is missing."],
  [{ files: 1 }, "--files must be text, not 1."],
  [{ files: "a", n: "many" }, '--n must be a number, not "many".'],
])("the input %j of a graph inside fails its node, which says why", async (input, why) => {
  const expected = { key: "sub", message: `The input for the graph "needs" in "sub" does not fit: ${why}` };
  expect(await lookedAt({ input: (() => input) as never })).toMatchObject(expected);
  expect(await lookedAt({}, input)).toMatchObject(expected);
});

test("an input that does not fit is handled like any other failure", async () => {
  const rescue = toolNode({ id: "rescue", run: ({ error }) => error?.message ?? "" });
  const compiled = graph({ name: "x" })
    .start(subgraphNode({ id: "sub", graph: needs, onError: rescue } as never))
    .compile(noEntities);
  expect((await runGraph(compiled)).result.outputs.rescue).toContain("--files is missing.");
});
