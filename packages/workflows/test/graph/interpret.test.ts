import { describe, expect, test } from "bun:test";
import { agentNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { decisionNode } from "../../src/graph/control-nodes.ts";
import { append, last, max, merge, reduced, sum } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { endedOf, engineFor, noEntities, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

const failing = (message: string) => () => Promise.reject(new Error(message));

describe("state", () => {
  test("begins with its initial values, or with the input's", async () => {
    const compiled = graph({ name: "x", state: { a: 1, b: [2] as number[] } })
      .start(toolNode({ id: "t", run: ({ a, b, input }) => ({ a, b, input }) }))
      .compile(noEntities);
    expect((await runGraph(compiled)).result.outputs.t).toEqual({ a: 1, b: [2], input: null });
    const input = { b: [3], other: true };
    expect((await runGraph(compiled, { input })).result.outputs.t).toEqual({ a: 1, b: [3], input });
  });

  test("applies updates with its reducers, one after the other", async () => {
    const state = {
      word: "",
      list: append<number>([0]),
      total: sum(10),
      best: max(5),
      by: merge<Record<string, number>>({ x: 1 }),
      own: reduced("", (current, update) => `${update}${current}`),
    };
    const compiled = graph({ name: "x", state })
      .start(
        [1, 7].map((n) =>
          toolNode({
            id: `t${n}`,
            run: () => n,
            output: () => ({ word: `w${n}`, list: [n], total: n, best: n, by: { [`k${n}`]: n }, own: `o${n}` }),
          }),
        ),
      )
      .compile(noEntities);
    expect((await runGraph(compiled)).result.state).toEqual({
      word: "w7",
      list: [0, 1, 7],
      total: 18,
      best: 7,
      by: { x: 1, k1: 1, k7: 7 },
      own: "o7o1",
    });
  });

  test("is frozen: a function cannot change it behind the journal", async () => {
    const compiled = graph({ name: "x", state: { list: append<number>([1]) } })
      .start(toolNode({ id: "t", run: ({ list }) => (list as number[]).push(2) }))
      .compile(noEntities);
    expect((await runGraph(compiled)).status).toMatchObject({ kind: "failed", error: { name: "TypeError" } });
  });

  test.each<[string, () => unknown, string]>([
    [
      "a key it does not have",
      () => ({ lits: [1] }),
      'updates "lits", which is not in the state (did you mean "list"?)',
    ],
    ["no list for a list", () => ({ list: 1 }), 'updates "list", which requires a list to append'],
    ["no number for a number", () => ({ total: "1" }), 'updates "total", which requires a number'],
    ["no object for an object", () => ({ by: [] }), 'updates "by", which requires an object to merge'],
    ["no object at all", () => "list", "must be an object whose keys are in the state"],
    ["what is not data", () => ({ list: [{ at: new Date(0) }] }), '"list[0].at" is a Date'],
    ["what JSON cannot say", () => ({ total: Number.NaN }), '"total" is NaN'],
  ])("refuses %s", async (_name, output, message) => {
    const state = { list: append<unknown>(), total: sum(), by: merge<object>({}) };
    const compiled = graph({ name: "x", state })
      .start(toolNode({ id: "t", run: () => 1, output: output as never }))
      .compile(noEntities);
    const { status } = await runGraph(compiled);
    expect(status.kind === "failed" && status.error.message).toContain(message);
  });

  test("an output goes into a key: into a list as one more item", async () => {
    const state = { one: last<unknown>(null), list: append<unknown>() };
    const compiled = graph({ name: "x", state })
      .start([
        toolNode({ id: "a", run: () => [1], into: "one" }),
        toolNode({ id: "b", run: () => [2], into: "list" }),
        toolNode({ id: "c", run: () => undefined, into: "list" }),
      ])
      .compile(noEntities);
    expect((await runGraph(compiled)).result.state).toEqual({ one: [1], list: [[2], null] });
  });
});

describe("branches", () => {
  test("see the state from before and their own updates; they join in the order in which they are written", async () => {
    const gate = Promise.withResolvers<void>();
    const state = { list: append<string>(["0"]), own: reduced("", (current, update) => current + update) };
    const build = graph({ name: "x", state });
    const compiled = build
      .parallel({
        branches: {
          slow: [
            toolNode({ id: "a", run: () => gate.promise }),
            toolNode({ id: "b", run: ({ list }) => list.join(""), into: "list" }),
            toolNode({ id: "c", run: ({ list }) => list.join(""), output: (text) => ({ own: String(text) }) }),
          ],
          quick: toolNode({
            id: "d",
            run: ({ list }) => `d${list.join("")}`,
            output: (text) => {
              gate.resolve();
              return { list: [String(text)], own: "d" };
            },
          }),
        },
      })
      .compile(noEntities);
    expect((await runGraph(compiled)).result.state).toEqual({ list: ["0", "0", "d0"], own: "00d" });
  });

  test("that write one key without a reducer make the graph fail, unless they agree", async () => {
    const write = (values: readonly string[]) =>
      graph({ name: "x", state: { word: "" } })
        .parallel({
          branches: values.map((word, n) => toolNode({ id: `t${n}`, run: () => 1, output: () => ({ word }) })),
        })
        .compile(noEntities);
    expect((await runGraph(write(["same", "same"]))).result.state).toEqual({ word: "same" });
    expect((await runGraph(write(["one", "other"]))).status).toMatchObject({
      kind: "failed",
      error: {
        name: "StateConflictError",
        key: "parallel",
        message: expect.stringContaining('"1" and "2" both wrote "word"'),
      },
    });
  });

  test("are merged by a function, if there is one", async () => {
    const compiled = graph({ name: "x", state: { word: "", total: sum(1), own: reduced("", (a, b) => a + b) } })
      .parallel({
        branches: {
          a: toolNode({ id: "a", run: () => "A", output: () => ({ word: "a", own: "1" }) }),
          b: toolNode({ id: "b", run: () => "B", output: () => ({ word: "b", own: "2" }) }),
        },
        merge: (branches, { total }) => ({
          word: branches
            .map(({ label, update, outputs }) => `${label}${update.word}${outputs[label]}${update.own}`)
            .join(),
          total,
          own: "merged",
        }),
      })
      .compile(noEntities);
    expect((await runGraph(compiled)).result.state).toEqual({ word: "aaA1,bbB2", total: 2, own: "merged" });
  });

  test("inside branches add up in the same way", async () => {
    const add = (id: string) => toolNode({ id, run: () => 1, output: () => ({ total: 1, own: id }) });
    const state = { total: sum(), own: reduced("", (current, update) => `${current}${update}`) };
    const builder = graph({ name: "x", state });
    const compiled = builder
      .parallel({
        branches: [
          [
            add("a"),
            graph({ name: "y", state }).parallel({ id: "in", branches: [add("b"), add("c")] }).definitions,
          ].flat(),
          add("d"),
        ],
      })
      .compile(noEntities);
    const { result } = await runGraph(compiled);
    expect(result.state).toEqual({ total: 4, own: "abcd" });
    expect(Object.keys(result.outputs).sort()).toEqual(["a", "b", "c", "d", "in", "parallel"]);
  });

  test("that fail leave nothing of the others in the state", async () => {
    const compiled = graph({ name: "x", state: { list: append<string>() } })
      .parallel({
        branches: [toolNode({ id: "a", run: () => "a", into: "list" }), toolNode({ id: "b", run: failing("no") })],
      })
      .catch(toolNode({ id: "h", run: ({ list, error }) => `${list.length} ${error?.key}`, into: "list" }))
      .compile(noEntities);
    expect((await runGraph(compiled)).result.state.list).toEqual(["0 try/parallel.1/b"]);
  });
});

describe("decisions", () => {
  test("are made once and recorded; the first condition that holds counts", async () => {
    const asked: string[] = [];
    const when = (name: string, holds: boolean) => () => {
      asked.push(name);
      return holds;
    };
    const compiled = graph({ name: "x" })
      .start(
        decisionNode({
          id: "which",
          routes: [
            { label: "one", when: when("one", false), nodes: toolNode({ id: "a", run: () => 1 }) },
            { label: "two", when: when("two", true), nodes: toolNode({ id: "b", run: () => 2 }) },
            { label: "three", when: when("three", true), nodes: toolNode({ id: "c", run: () => 3 }) },
          ],
        }),
      )
      .compile(noEntities);
    const { result, keys } = await runGraph(compiled);
    expect(asked).toEqual(["one", "two"]);
    expect(result.outputs).toEqual({ which: "two", b: 2 });
    expect(keys).toEqual(["which", "which.1/b"]);
  });

  test("may wait for something, and may fail", async () => {
    const compiled = graph({ name: "x" })
      .if(failing("cannot decide"))
      .endif()
      .catch(toolNode({ id: "h", run: ({ error }) => error?.message }))
      .if(async () => true)
      .then(toolNode({ id: "yes", run: () => "yes" }))
      .endif()
      .compile(noEntities);
    expect((await runGraph(compiled)).result.outputs).toMatchObject({ h: "cannot decide", yes: "yes" });
  });
});

describe("graphs inside graphs", () => {
  test("have their own state, ids and functions", async () => {
    const inner = graph({ name: "inner", state: { n: 0, list: append<string>() } })
      .start(toolNode({ id: "t", run: ({ n, input }) => `inner ${n} ${JSON.stringify(input)}`, into: "list" }))
      .toGraph();
    const compiled = graph({ name: "outer", state: { n: 5, list: append<unknown>() } })
      .start(toolNode({ id: "t", run: () => "outer", into: "list" }))
      .then(subgraphNode({ id: "same", graph: inner, into: "list" }))
      .then(
        subgraphNode({
          id: "mapped",
          graph: inner,
          input: ({ n }) => ({ n: n + 1 }),
          output: (end) => ({ list: [end.list[0]] }),
        }),
      )
      .compile(noEntities);
    const { result, keys } = await runGraph(compiled, { input: { n: 7 } });
    expect(result.state).toEqual({
      n: 7,
      list: ["outer", { n: 7, list: ['inner 7 {"n":7}'] }, 'inner 8 {"n":8}'],
    });
    expect(keys).toEqual(["t", "same/t", "mapped:input", "mapped/t", "mapped:result"]);
  });

  test("fail with the failed node's path", async () => {
    const inner = graph({ name: "inner" })
      .start(toolNode({ id: "t", run: failing("deep") }))
      .toGraph();
    const compiled = graph({ name: "outer" })
      .loop(subgraphNode({ id: "sub", graph: inner }), { id: "L", until: () => true })
      .compile(noEntities);
    expect((await runGraph(compiled)).status).toMatchObject({ kind: "failed", error: { key: "L#1/sub/t" } });
  });
});

test("tools are called by name, with arguments made from the state", async () => {
  const compiled = graph({ name: "x", state: { file: "a.ts" } })
    .start(toolNode({ id: "a", tool: "Lint", args: ({ file }) => [file] }))
    .then(toolNode({ id: "b", tool: "lint" }))
    .compile(noEntities, { tools: { lint: (args) => ({ linted: args }) } });
  const { result } = await runGraph(compiled, { tools: { lint: (args) => ({ linted: args }) } });
  expect(result.outputs).toEqual({ a: { linted: ["a.ts"] }, b: { linted: null } });
});

test("keys are paths, each used once", async () => {
  const compiled = graph({ name: "x" })
    .parallel({
      id: "fan",
      branches: [
        [],
        graph({ name: "y" }).loop(toolNode({ id: "work", run: () => 1 }), {
          id: "L",
          until: ({ iteration }) => iteration === 3,
        }),
      ],
    })
    .compile(noEntities);
  const { keys } = await runGraph(compiled);
  expect(keys).toEqual(["fan.1/L#1/work", "fan.1/L#1", "fan.1/L#2/work", "fan.1/L#2", "fan.1/L#3/work", "fan.1/L#3"]);
});

test("a run continues with the graph it was started with, not with today's", async () => {
  const build = (ids: readonly string[]) =>
    graph({ name: "x", state: { log: append<string>() } })
      .start(ids.map((id) => toolNode({ id, run: () => id, into: "log" })))
      .compile(noEntities);
  const today = engineFor(build(["new", "b", "a"]));
  await today.start({ runId: "run", graph: build(["a", "b"]).json, input: null });
  const { result } = await endedOf(today, "run", await (await today.run("run")).ended);
  expect(result.state.log).toEqual(["a", "b"]);
});

test("a cancelled run aborts the agent, and no handler treats that as a failure", async () => {
  const handled: string[] = [];
  const aborted = Promise.withResolvers<string>();
  const host = new ScriptedHost(
    (_request, { signal }) =>
      new Promise<string>((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          aborted.resolve(String(signal.reason.why));
          reject(signal.reason);
        }),
      ),
  );
  const compiled = graph({ name: "x" })
    .parallel({ branches: [agentNode({ id: "a", prompt: "x" }), waitNode({ id: "w", prompt: "?" })] })
    .catch(toolNode({ id: "h", run: () => handled.push("handled") }))
    .then(toolNode({ id: "after", run: () => handled.push("after") }))
    .compile(noEntities);
  const engine = engineFor(compiled, { host });
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const run = await engine.run("run");
  for await (const event of run) if (event.type === "step-started" && event.key === "try/parallel.0/a") break;
  await engine.cancel("run");
  expect(await aborted.promise).toBe("cancelled");
  expect((await run.ended).kind).toBe("cancelled");
  expect(handled).toEqual([]);
});
