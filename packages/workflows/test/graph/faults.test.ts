// Each test is a fault that another engine of this kind has, or had for a year.
import { expect, test } from "bun:test";
import { agentNode, askUserNode, skillNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { loopNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import type { BaseState } from "../../src/graph/state.ts";
import { append, sum } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { entity } from "../entities.ts";
import { endedOf, engineFor, noEntities, registryWith, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

type Ordered = BaseState & { readonly order: readonly string[] };
const step = (id: string) => toolNode<Ordered>({ id, run: () => id, into: "order" });

test("engine 1: what follows a loop runs once, after it", async () => {
  const compiled = graph({ name: "tail", state: { order: append<string>() } })
    .start(step("s"))
    .loop(step("body"), { until: (state) => state.iteration === 3 })
    .then(step("tail"))
    .compile(noEntities);
  const { result } = await runGraph(compiled);
  expect(result.state.order).toEqual(["s", "body", "body", "body", "tail"]);
});

test("engine 2: maxIterations 0 means no limit, and is refused without another bound", async () => {
  const build = (maxDurationMs?: number) =>
    graph({ name: "long", state: { n: sum() } }).loop(toolNode({ id: "work", run: () => 1, into: "n" }), {
      until: (state) => state.n === 150,
      maxIterations: 0,
      maxDurationMs,
    });
  expect(() => build().compile(noEntities)).toThrow("loop: This loop may never end");
  const { result } = await runGraph(build(3_600_000).compile(noEntities));
  expect(result.state.n).toBe(150);
});

test("engine 3: parallel branches run at the same time, and what follows waits for all of them", async () => {
  const arrived = new Set<string>();
  const all = Promise.withResolvers<void>();
  // Ends only once the others have begun, too.
  const meet = (id: string) =>
    toolNode({
      id,
      run: async () => {
        arrived.add(id);
        if (arrived.size === 3) all.resolve();
        await all.promise;
      },
    });
  const compiled = graph({ name: "meet", state: { seen: 0 } })
    .parallel({ branches: [meet("a"), meet("b"), meet("c")] })
    .then(toolNode({ id: "after", run: () => arrived.size, into: "seen" }))
    .compile(noEntities);
  expect((await runGraph(compiled)).result.state.seen).toBe(3);
});

test("engine 3: race takes the first that ends, any the first that succeeds, and the others are aborted", async () => {
  const aborted: string[] = [];
  const hang = (id: string) =>
    toolNode<Ordered>({
      id,
      into: "order",
      run: (_state, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            aborted.push(id);
            reject(signal.reason);
          }),
        ),
    });
  const broken = toolNode({ id: "broken", run: () => Promise.reject(new Error("out of paper")) });
  const build = (strategy: "race" | "any", first: ReturnType<typeof step>) =>
    graph({ name: strategy, state: { order: append<string>() } })
      .parallel({
        strategy,
        branches: { slow: hang("slow"), first, second: strategy === "any" ? step("ok") : hang("x") },
      })
      .compile(noEntities);

  const race = await runGraph(build("race", step("quick")));
  expect(race.result).toEqual({ state: { order: ["quick"] }, outputs: { quick: "quick", parallel: ["first"] } });
  expect(aborted.sort()).toEqual(["slow", "x"]);

  const lost = await runGraph(build("race", broken));
  expect(lost.status).toMatchObject({ kind: "failed", error: { message: "out of paper", key: "parallel.1/broken" } });

  const any = await runGraph(build("any", broken));
  expect(any.result).toEqual({ state: { order: ["ok"] }, outputs: { ok: "ok", parallel: ["second"] } });
});

test("engine 4: a handler runs, sees what went wrong, and the graph continues", async () => {
  const compiled = graph({ name: "handled", state: { order: append<string>() } })
    .start(step("a"))
    .then(toolNode({ id: "bad", run: () => Promise.reject(new Error("no such file")) }))
    .then(step("never"))
    .catch(toolNode({ id: "handler", run: ({ error }) => `${error?.key}: ${error?.message}`, into: "order" }))
    .then(step("tail"))
    .compile(noEntities);
  const { result } = await runGraph(compiled);
  expect(result.state.order).toEqual(["a", "try/bad: no such file", "tail"]);
});

test("engine 5: a wait ends once it is answered, even across processes", async () => {
  const asked: string[] = [];
  const compiled = graph({ name: "ask", state: { order: append<string>() } })
    .start(toolNode({ id: "once", run: () => asked.push("once") }))
    .wait(askUserNode({ id: "approval", question: "Ship it?", into: "order" }))
    .then(step("tail"))
    .compile(noEntities);
  const disk: MemoryDisk = new Map();
  const store = memoryStore(disk);
  const before = engineFor(compiled, { store });
  await before.start({ runId: "run", graph: compiled.json, input: null });
  const run = await before.run("run");
  for await (const event of run) if (event.type === "wait-started") break;
  expect((await before.state("run")).calls.get("approval")).toMatchObject({ about: { question: "Ship it?" } });
  store.crash();

  const after = engineFor(compiled, { store: memoryStore(disk) });
  await after.signal("run", "approval", "yes");
  const { result } = await endedOf(after, "run", await (await after.run("run")).ended);
  expect(result.state.order).toEqual(["yes", "tail"]);
  expect(asked).toEqual(["once"]);
});

test("engine 6: a run with more than nine steps resumes after its last step", async () => {
  const began: string[] = [];
  const disk: MemoryDisk = new Map();
  const store = memoryStore(disk);
  const work = (n: number) =>
    toolNode({
      id: `step-${n}`,
      run: (_state, { attempt }) => {
        began.push(`${n}.${attempt}`);
        if (n === 11 && attempt === 1) store.crash();
      },
    });
  const compiled = graph({ name: "twelve" })
    .start(Array.from({ length: 12 }, (_, n) => work(n)))
    .compile(noEntities);
  const engine = engineFor(compiled, { store });
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const run = await engine.run("run");
  for await (const event of run) if (event.type === "step-started" && event.key === "step-11") break;
  const { status } = await runGraph(compiled, { store: memoryStore(disk) });
  expect(status.kind).toBe("done");
  expect(began).toEqual([...Array.from({ length: 12 }, (_, n) => `${n}.1`), "11.2"]);
});

test("engine 7: awaiting a builder returns a builder immediately", async () => {
  const make = async () => graph({ name: "awaited", state: { order: append<string>() } }).start(step("a"));
  const builder = await make();
  const { result } = await runGraph(builder.next(step("b")).compile(noEntities));
  expect(result.state.order).toEqual(["a", "b"]);
});

test("engine 8: position, timeout and concurrency are real: started before it runs, ended when too late, never too many", async () => {
  const running = new Set<string>();
  let most = 0;
  const busy = (id: string) =>
    toolNode({
      id,
      run: async () => {
        running.add(id);
        most = Math.max(most, running.size);
        await Promise.resolve();
        running.delete(id);
      },
    });
  const compiled = graph({ name: "bounds" })
    .parallel({ branches: ["a", "b", "c", "d", "e"].map(busy), limit: 2 })
    .then(toolNode({ id: "late", run: () => new Promise(() => undefined), timeoutMs: 1, onError: "continue" }))
    .compile(noEntities);
  const { events, status } = await runGraph(compiled);
  expect(status.kind).toBe("done");
  expect(most).toBe(2);
  const late = events.filter((event) => "key" in event && event.key === "late").map(({ type }) => type);
  expect(late).toEqual(["step-started", "step-failed"]);
});

test("design 1-3: a task loop runs its nodes for each task, marks how each ended, and takes what is picked", async () => {
  const marked: string[] = [];
  const open = ["b", "a", "c"];
  const compiled = graph({ name: "tasks", state: { order: append<string>() } })
    .start(
      taskLoopNode({
        taskNodes: toolNode({
          id: "work",
          run: ({ currentTask }) => {
            if (currentTask?.id === "a") throw new Error("tests fail");
            return currentTask?.id ?? "none";
          },
          into: "order",
        }),
      }),
    )
    .compile(noEntities);
  const { result } = await runGraph(compiled, {
    taskLoop: {
      pick: ({ tasksPath }) => {
        const id = open.shift();
        if (id === undefined) return { do: "stop", reason: "tasks fail", complete: false };
        return { do: "run", tasks: [{ id, from: tasksPath }] };
      },
      settle: ({ task, outcome }) => void marked.push(`${task.id}: ${outcome.ok ? "passing" : outcome.error.message}`),
    },
  });
  expect(marked).toEqual(["b: passing", "a: tests fail", "c: passing"]);
  expect(result.state.order).toEqual(["b", "c"]);
});

test("design 4: a loop that stops before it is done does not report that it is complete", async () => {
  const loop = (onIncomplete: "continue" | "fail") =>
    graph({ name: "stuck" })
      .start(taskLoopNode({ taskNodes: toolNode({ id: "work", run: () => 1 }), onIncomplete }))
      .compile(noEntities);
  const taskLoop = {
    pick: () => ({ do: "stop", reason: "failing: b", complete: false }) as const,
    settle: () => undefined,
  };
  const went = await runGraph(loop("continue"), { taskLoop });
  expect(went.result.outputs["task-loop"]).toEqual({ iterations: 0, stopped: "failing: b", complete: false });
  const failed = await runGraph(loop("fail"), { taskLoop });
  expect(failed.status).toMatchObject({ kind: "failed", error: { name: "LoopIncompleteError" } });
});

test("design 5: a name resolves to the same entity, whichever is registered first", () => {
  const both = [entity("tidy", "claude:user", { type: "skill" }), entity("tidy", "claude:project", { type: "skill" })];
  const compiled = [both, both.toReversed()].map((more) =>
    graph({ name: "tidy" })
      .start(skillNode({ skill: "tidy" }))
      .compile(registryWith({ more })),
  );
  expect(compiled.map(({ json }) => json.entities)).toEqual([
    { "skill:tidy": "claude:project/tidy" },
    { "skill:tidy": "claude:project/tidy" },
  ]);
});

test("design 6: arguments arrive unchanged, whatever dollar signs they have", async () => {
  const host = new ScriptedHost();
  const skill = entity("fix", "atomic:project", { type: "skill", prompt: "Fix $ARGUMENTS now." });
  const registry = registryWith({ more: [skill] });
  const compiled = graph({ name: "dollars" })
    .start(skillNode({ skill: "fix", args: () => "$& and $1 and $$" }))
    .compile(registry);
  await runGraph(compiled, { host, registry });
  expect(host.sent.map(({ prompt }) => prompt)).toEqual(["Fix $& and $1 and $$ now."]);
});

test("resume: each parallel wait is answered separately, and an answered branch stays answered", async () => {
  const compiled = graph({ name: "two", state: { order: append<string>() } })
    .parallel({
      branches: {
        a: [askUserNode({ id: "ask-a", question: "A?", into: "order" }), step("after-a")],
        b: [askUserNode({ id: "ask-b", question: "B?", into: "order" }), step("after-b")],
      },
    })
    .compile(noEntities);
  const disk: MemoryDisk = new Map();
  const store = memoryStore(disk);
  const first = engineFor(compiled, { store });
  await first.start({ runId: "run", graph: compiled.json, input: null });
  await first.signal("run", "parallel.1/ask-b", "b yes");
  const run = await first.run("run");
  for await (const event of run) if (event.type === "branch-ended") break;
  expect(await first.status("run")).toMatchObject({ kind: "waiting", for: [{ key: "parallel.0/ask-a" }] });
  store.crash();

  const second = engineFor(compiled, { store: memoryStore(disk) });
  const resumed = await second.run("run");
  await second.signal("run", "parallel.0/ask-a", "a yes");
  const { result, keys } = await endedOf(second, "run", await resumed.ended);
  expect(result.state.order).toEqual(["a yes", "after-a", "b yes", "after-b"]);
  expect(keys.filter((key) => key.endsWith("after-b"))).toHaveLength(1);
});

test("resume: a wait inside a graph inside a loop continues where it was, without running anything again", async () => {
  const ran: string[] = [];
  const note = (id: string) => toolNode({ id, run: () => ran.push(id) });
  const inner = graph({ name: "inner" })
    .start(note("before"))
    .wait(waitNode({ id: "ask", prompt: "Go on?" }))
    .then(note("after"))
    .toGraph();
  const compiled = graph({ name: "outer" })
    .loop(subgraphNode({ id: "sub", graph: inner }), { id: "L", until: ({ iteration }) => iteration === 2 })
    .compile(noEntities);
  const { status } = await runGraph(compiled, { signals: { "L#1/sub/ask": true, "L#2/sub/ask": false } });
  expect(status.kind).toBe("done");
  expect(ran).toEqual(["before", "after", "before", "after"]);

  ran.length = 0;
  const disk: MemoryDisk = new Map();
  const late = memoryStore(disk);
  const first = engineFor(compiled, { store: late });
  await first.start({ runId: "run", graph: compiled.json, input: null });
  await first.signal("run", "L#1/sub/ask", true);
  const run = await first.run("run");
  for await (const event of run) if (event.type === "wait-started" && event.key === "L#2/sub/ask") break;
  late.crash();
  await runGraph(compiled, { store: memoryStore(disk), signals: { "L#2/sub/ask": true } });
  expect(ran).toEqual(["before", "after", "before", "after"]);
});

test("resume: an agent gets the same question in the same session again, not another session", async () => {
  const disk: MemoryDisk = new Map();
  const store = memoryStore(disk);
  const host = new ScriptedHost((_request, { attempt }) => {
    if (attempt === 1) store.crash();
    return "done";
  });
  let asked = 0;
  const compiled = graph({ name: "agent" })
    .start(agentNode({ id: "work", prompt: () => `question ${++asked}` }))
    .compile(noEntities);
  const engine = engineFor(compiled, { store, host });
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const run = await engine.run("run");
  for await (const event of run) if (event.type === "step-started" && event.key === "work") break;
  const { status } = await runGraph(compiled, { store: memoryStore(disk), host });
  expect(status.kind).toBe("done");
  expect(host.opened).toEqual(["work"]);
  expect(host.sent).toEqual([
    { path: "work", prompt: "question 1", session: "session of work", attempt: 1 },
    { path: "work", prompt: "question 1", session: "session of work", attempt: 2 },
  ]);
});

test("resume: a loop of more than 25 iterations needs no special limit, and its number is the same everywhere", async () => {
  const inner = loopNode<BaseState & { readonly n: number }>(toolNode({ id: "work", run: () => 1, into: "n" }), {
    id: "inner",
    until: ({ iteration }) => iteration === 10,
  });
  const compiled = graph({ name: "many", state: { n: sum() } })
    .loop(inner, { id: "outer", until: ({ iteration }) => iteration === 10 })
    .compile(noEntities);
  expect((await runGraph(compiled)).result.state.n).toBe(100);
});
