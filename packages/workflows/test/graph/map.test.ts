import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { askUserNode, toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import type { CompiledGraph } from "../../src/graph/compile.ts";
import { mapNode } from "../../src/graph/map-node.ts";
import { append, max, merge, reduced, sum } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { review } from "./map-sample.ts";
import { endedOf, engineFor, noEntities, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

setDefaultTimeout(120_000);

describe("items", () => {
  test("each runs with its own item, outputs and session; what comes out is in the list's order", async () => {
    const host = new ScriptedHost(async ({ prompt }) => {
      // The first item answers last.
      if (prompt.includes("B.TS")) await new Promise((resolve) => setImmediate(resolve));
      return prompt.startsWith("Look") ? "seen" : prompt;
    });
    const { result } = await runGraph(review, { host });
    const findings = ["b.ts", "a.ts", "c.ts"].map((file) => `Sum up ${file}: seen`);
    expect(result).toEqual({ state: { files: ["b.ts", "a.ts", "c.ts"], findings }, outputs: { review: findings } });
    const sessions = new Map(host.sent.map(({ path, session }) => [path.replace(/\/.*/, ""), session]));
    expect(sessions.size).toBe(3);
    expect(host.opened).toHaveLength(3);
  });

  test("as many run at a time as its limit says, or as there may be prompts", async () => {
    const atATime = async (limit: number | undefined, maxPrompts?: number): Promise<number> => {
      let running = 0;
      let most = 0;
      const compiled = graph({ name: "x" })
        .start(
          mapNode({
            over: Array.from({ length: 30 }, (_, at) => at),
            as: "n",
            nodes: toolNode({
              id: "t",
              run: async () => {
                running += 1;
                most = Math.max(most, running);
                await new Promise((resolve) => setImmediate(resolve));
                running -= 1;
                return null;
              },
            }),
            limit,
          }),
        )
        .compile(noEntities);
      await runGraph(compiled, maxPrompts === undefined ? {} : { maxPrompts });
      return most;
    };
    expect([await atATime(3), await atATime(undefined), await atATime(undefined, 20), await atATime(2, 20)]).toEqual([
      3, 8, 20, 2,
    ]);
  });

  test("an empty list is done at once, equal items run each, and maps may contain maps", async () => {
    const compiled = graph({ name: "x", state: { pairs: append<string>() } })
      .start(mapNode({ id: "none", over: () => [], as: "n", nodes: toolNode({ id: "never", run: () => 1 }) }))
      .then(
        mapNode({
          id: "outer",
          over: ["a", "b", "a"],
          as: "letter",
          nodes: (each) =>
            each.then(
              mapNode({
                id: "inner",
                over: ({ letter }) => [1, 2, ...(letter === "b" ? [3] : [])],
                as: "number",
                nodes: (pair) =>
                  pair.then(toolNode({ id: "t", run: ({ letter, number }) => `${letter}${number}`, into: "pairs" })),
              }),
            ),
        }),
      )
      .compile(noEntities);
    const { result, keys } = await runGraph(compiled);
    expect(result).toEqual({
      state: { pairs: ["a1", "a2", "b1", "b2", "b3", "a1", "a2"] },
      outputs: {
        none: [],
        outer: [
          ["a1", "a2"],
          ["b1", "b2", "b3"],
          ["a1", "a2"],
        ],
      },
    });
    expect(keys.filter((key) => key.endsWith("/t")).sort()).toEqual(
      ["a.", "a~2.", "b."].flatMap((outer) =>
        (outer === "b." ? ["1", "2", "3"] : ["1", "2"]).map((n) => `outer.${outer.slice(0, -1)}/inner.${n}/t`),
      ),
    );
  });

  test("a graph inside an item gets it through its input", async () => {
    const inner = graph({ name: "inner" })
      .start(toolNode({ id: "t", run: ({ input }) => `got ${JSON.stringify(input)}` }))
      .toGraph();
    const compiled = graph({ name: "x" })
      .start(
        mapNode({
          id: "m",
          over: [{ n: 1 }],
          as: "item",
          nodes: (each) =>
            each
              .then(subgraphNode({ id: "sub", graph: inner, input: ({ item }) => item.n + 1 }))
              .if(({ item }) => item.n === 1)
              .then(toolNode({ id: "one", run: ({ item }) => item.n }))
              .endif(),
        }),
      )
      .compile(noEntities);
    expect((await runGraph(compiled)).result.outputs).toEqual({ m: [1] });
  });

  test("ten thousand items are one map", async () => {
    const compiled = graph({ name: "x", state: { total: sum() } })
      .start(
        mapNode({
          id: "m",
          over: () => Array.from({ length: 10_000 }, (_, at) => ({ at })),
          as: "item",
          nodes: (each) => each.then(toolNode({ id: "t", run: ({ item }) => item.at })),
          into: "total",
        }),
      )
      .then(toolNode({ id: "end", run: ({ total, outputs }) => [total, (outputs.m as Json[]).length] }))
      .compile(noEntities);
    const { status, events } = await runGraph(compiled);
    expect(status.kind).toBe("done");
    expect(events.filter(({ type }) => type === "branch-ended")).toHaveLength(10_000);
    const end = events.find((event) => event.type === "step-finished" && event.key === "end");
    expect(end).toMatchObject({ result: { value: { output: [(10_000 * 9_999) / 2, 10_000] } } });
  });
});

describe("merging", () => {
  const merged = async (channel: unknown, outputs: readonly Json[]): Promise<unknown> => {
    const compiled = graph({ name: "x", state: { key: channel } })
      .start(
        mapNode({
          id: "m",
          over: outputs,
          as: "item",
          nodes: (each) => each.then(toolNode({ id: "t", run: ({ item }) => item })),
          into: "key",
        }),
      )
      .compile(noEntities);
    const { status } = await runGraph(compiled);
    if (status.kind === "failed") return status.error.message;
    if (status.kind !== "done" || !("value" in status.result)) throw new Error(status.kind);
    return (status.result.value as { state: { key: Json } }).state.key;
  };

  test("the outputs go into a key one after the other, as its reducer says; without one, as a list", async () => {
    expect(await merged("before", [3, 1])).toEqual([3, 1]);
    expect(await merged(append([0]), [3, [1]])).toEqual([0, 3, [1]]);
    expect(await merged(sum(10), [3, 1])).toBe(14);
    expect(await merged(max(2), [1, 3, 2])).toBe(3);
    expect(await merged(merge({ a: 1 }), [{ b: 2 }, { b: 3, c: 4 }])).toEqual({ a: 1, b: 3, c: 4 });
    expect(
      await merged(
        reduced("", (current, update) => `(${current}${update})`),
        ["x", "y"],
      ),
    ).toBe("((x)y)");
    expect(await merged(sum(), ["x"])).toBe('The node "m" updates "key", which requires a number.');
  });

  test("what items write themselves is merged in the list's order, and a lost value is a failure", async () => {
    const words = (channel: unknown) =>
      graph({ name: "x", state: { word: channel } })
        .start(
          mapNode({
            id: "m",
            over: ["a", "b"],
            as: "item",
            nodes: (each) =>
              each.then(toolNode({ id: "t", run: () => 1, output: (_, { item }) => ({ word: [item] }) })),
          }),
        )
        .compile(noEntities);
    expect((await runGraph(words(append()))).result.state).toEqual({ word: ["a", "b"] });
    const { status } = await runGraph(words(""));
    expect(status).toMatchObject({
      error: {
        name: "StateConflictError",
        key: "m",
        message:
          'item 1 of 2, "a", and item 2 of 2, "b", both wrote "word", so one value would be lost; give "word" a reducer, such as append(), or give the map node a merge function',
      },
    });
  });

  test("a merge function gets every item with what it did", async () => {
    const compiled = graph({ name: "x", state: { best: "", tried: append<string>() } })
      .start(
        mapNode({
          id: "m",
          over: ["long", "short"],
          as: "word",
          nodes: (each) =>
            each.then(
              toolNode({ id: "t", run: ({ word }) => word.length, output: (_, { word }) => ({ tried: [word] }) }),
            ),
          merge: (items) => ({
            best: items.toSorted((a, b) => Number(b.output) - Number(a.output))[0]?.item ?? "",
            tried: items.map(({ update }) => String(update.tried)),
          }),
        }),
      )
      .compile(noEntities);
    expect((await runGraph(compiled)).result).toEqual({
      state: { best: "short", tried: ["long", "short"] },
      outputs: { m: [4, 5] },
    });
  });
});

describe("failures", () => {
  const failing = (onItemError: "fail" | "continue" | undefined, isFixed = { is: false }): CompiledGraph =>
    graph({ name: "x", state: { said: append<string>() } })
      .start(
        mapNode({
          id: "m",
          over: ["good", "src/bad.ts", "fine"],
          as: "file",
          nodes: (each) =>
            each.then(
              toolNode({
                id: "t",
                run: ({ file }) => {
                  if (file.includes("bad") && !isFixed.is) throw new Error("no such file");
                  return `read ${file}`;
                },
                retry: { maxAttempts: 2, backoffMs: 0 },
              }),
            ),
          into: "said",
          onItemError,
          limit: 1,
        }),
      )
      .then(toolNode({ id: "after", run: ({ error }) => error?.message ?? "no error" }))
      .compile(noEntities);

  test("an item is retried as its nodes say; then the run says which item failed, and why", async () => {
    const { status, events } = await runGraph(failing(undefined));
    expect(status).toMatchObject({
      kind: "failed",
      error: { key: "m.src-bad-ts-nucz57ic/t", message: 'item 2 of 3, "src/bad.ts": no such file' },
    });
    expect(events.filter(({ type }) => type === "step-failed")).toHaveLength(2);
  });

  test("a failed item can be retried: the items that ended do not run again", async () => {
    const disk: MemoryDisk = new Map();
    const isFixed = { is: false };
    const compiled = failing("fail", isFixed);
    await runGraph(compiled, { store: memoryStore(disk) });
    isFixed.is = true;
    const engine = engineFor(compiled, { store: memoryStore(disk) });
    await engine.reopen("run");
    const { result, keys } = await endedOf(engine, "run", await (await engine.run("run")).ended);
    expect(result.outputs.m).toEqual(["read good", "read src/bad.ts", "read fine"]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("the others can continue: a failed item's output is null, and the error names it", async () => {
    const { result } = await runGraph(failing("continue"));
    expect(result).toEqual({
      state: { said: ["read good", "read fine"] },
      outputs: {
        m: ["read good", null, "read fine"],
        after: '1 of 3 items failed: item 2 of 3, "src/bad.ts": no such file',
      },
    });
  });

  test.each<[string, unknown, string]>([
    ["nothing", undefined, "nothing"],
    ["text", "a,b", "a string"],
    ["an object", { a: 1 }, "an object"],
  ])("%s is not a list", async (_name, value, given) => {
    const compiled = graph({ name: "x" })
      .start(
        mapNode({ id: "m", over: () => value as readonly Json[], as: "n", nodes: toolNode({ id: "t", run: () => 1 }) }),
      )
      .compile(noEntities);
    expect((await runGraph(compiled)).status).toMatchObject({
      kind: "failed",
      error: { key: "m:over", message: `"over" in the node "m" returned ${given} instead of a list.` },
    });
  });
});

test("an item that asks you waits, while the others continue", async () => {
  const compiled = graph({ name: "x" })
    .start(
      mapNode({
        id: "m",
        over: ["a", "b", "c"],
        as: "file",
        nodes: (each) =>
          each
            .if(({ file }) => file === "b")
            .then(askUserNode({ id: "ask", question: ({ file }) => `Publish ${file}?` }))
            .else()
            .then(toolNode({ id: "t", run: ({ file }) => file }))
            .endif(),
        limit: 2,
      }),
    )
    .compile(noEntities);
  const engine = engineFor(compiled, {});
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const run = await engine.run("run");
  const ended: number[] = [];
  for await (const event of run) {
    if (event.type === "branch-ended") ended.push(event.index);
    if (ended.length === 2) break;
  }
  expect(ended).toEqual([0, 2]);
  expect((await engine.status("run")).kind).toBe("waiting");
  const { waits } = await engine.state("run");
  expect(waits).toMatchObject([{ key: "m.b/decision.0/ask", about: { question: "Publish b?" } }]);
  await engine.signal("run", "m.b/decision.0/ask", "yes");
  expect((await endedOf(engine, "run", await run.ended)).result.outputs.m).toEqual(["a", "yes", "c"]);
});
