// Large values are not in memory: they are read where they are kept, and only if a function looks at them.
import { expect, test } from "bun:test";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import type { CompiledGraph } from "../../src/graph/compile.ts";
import { mapNode } from "../../src/graph/map-node.ts";
import { append, last } from "../../src/graph/state.ts";
import type { Json } from "../../src/run/json.ts";
import { memoryStore } from "../../src/run/memory/memory-engine.ts";
import { RunError } from "../../src/run/run-error.ts";
import { engineFor, noEntities } from "./run-graph.ts";

const limits = { inlineBytes: 100, recentBytes: 0 };
const long = (letter: string): string => letter.repeat(1000);

/** Runs it; `reads` are the first letters of the large texts that were read again. */
async function ran(compiled: CompiledGraph, load?: (text: Json) => Json) {
  const reads: string[] = [];
  const store = memoryStore();
  const engine = engineFor(compiled, {
    limits,
    store: {
      ...store,
      readBlob: (runId, ref) => {
        const value = store.loadBlob(runId, ref) as Json;
        if (typeof value === "string") reads.push(value[0]!);
        return load === undefined ? value : load(value);
      },
    },
  });
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const run = await engine.run("run");
  const status = await run.ended.catch((error: unknown) => ({ kind: "refused" as const, error }));
  return { engine, status, reads };
}

test("only what a function looks at is read, wherever it is", async () => {
  const compiled = graph({ name: "g", state: { texts: append<string>(), text: last("") } })
    .start(toolNode({ id: "a", run: () => long("a"), into: "texts" }))
    .then(toolNode({ id: "b", run: () => long("b"), into: "texts" }))
    .then(agentNode({ id: "c", prompt: long("c"), into: "text" }))
    .parallel({
      branches: [
        toolNode({ id: "d", run: () => ({ deep: [long("d"), 4] }) }),
        toolNode({ id: "e", run: () => long("e") }),
      ],
    })
    .then(
      mapNode({
        id: "f",
        over: ["1", "2"],
        as: "one",
        nodes: (each) => each.then(toolNode({ run: ({ one }) => one + long("f") })),
      }),
    )
    .then(
      toolNode({
        id: "keys",
        run: ({ outputs, texts }) => [Object.keys(outputs).length, texts.length, outputs.d.deep[1], outputs.f.length],
      }),
    )
    .then(
      toolNode({
        id: "some",
        run: ({ outputs, texts, text }) =>
          [outputs.d.deep[0], texts[1], text, outputs.f[1]].map((each) => String(each)[0]!),
      }),
    )
    .compile(noEntities);
  const { engine, status, reads } = await ran(compiled);
  if (status.kind !== "done") throw new Error(JSON.stringify(status));
  // The agent's reply first: it is a key of the state that the last function names.
  expect(reads).toEqual(["r", "d", "b", "2"]);
  expect(await engine.load("run", status.result, ["outputs", "keys"])).toEqual([7, 2, 4, 2]);
  expect(await engine.load("run", status.result, ["outputs", "some"])).toEqual(["d", "b", "r", "2"]);
  // What no function looked at is whole, too.
  expect(await engine.load("run", status.result, ["state", "texts"])).toEqual([long("a"), long("b")]);
});

test("a large part that is damaged is not the failure of the step that looks at it", async () => {
  const compiled = graph({ name: "g" })
    .start(toolNode({ id: "a", run: () => long("a") }))
    .then(toolNode({ id: "look", run: ({ outputs }) => outputs.a.length, onError: "continue" }))
    .compile(noEntities);
  const { engine, status } = await ran(compiled, () => {
    throw new RunError("damaged", { message: "It is not what was written" });
  });
  expect(status).toMatchObject({ kind: "refused", error: { code: "damaged" } });
  const { calls } = await engine.state("run");
  expect(calls.get("look")).toMatchObject({ phase: { kind: "running" } });
});

test("a function cannot change what others will read", async () => {
  const compiled = graph({ name: "g" })
    .start(toolNode({ id: "a", run: () => ({ list: [long("a")] }) }))
    .then(
      toolNode({
        id: "change",
        run: ({ outputs }) => {
          const tries = [() => (outputs.a.list as string[]).push("b"), () => Object.assign(outputs, { a: 1 })];
          return tries.map((each) => {
            try {
              return String(each());
            } catch (error) {
              return (error as Error).name;
            }
          });
        },
      }),
    )
    .compile(noEntities);
  const { engine, status } = await ran(compiled);
  if (status.kind !== "done") throw new Error(JSON.stringify(status));
  const { change, a } = (await engine.load("run", status.result, ["outputs"])) as { change: Json; a: Json };
  expect(change).toEqual(["TypeError", "TypeError"]);
  expect(a).toEqual({ list: [long("a")] });
});
