// Faults of other engines when a graph is resumed, each by the behavior that is right; by graph what
// `test/run/resume-faults.test.ts` shows by call.
import { expect, test } from "bun:test";
import { deferred } from "@atomic/testing/waiting";
import { agentNode, askUserNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { append } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import type { LocalEngine } from "../../src/run/engine.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { endedOf, engineFor, noEntities } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

async function until(engine: LocalEngine, isIt: (event: { type: string; key?: string }) => boolean): Promise<void> {
  for await (const { event } of engine.journal("run", { follow: true })) {
    if (isIt(event as { type: string; key?: string })) return;
  }
}

test("Mastra 10746: a branch that is answered while its sibling runs continues, and the sibling loses no iteration", async () => {
  const gate = deferred();
  const turns: number[] = [];
  const compiled = graph({ name: "two", state: { log: append<string>() } })
    .parallel({
      id: "fan",
      branches: {
        asks: [
          askUserNode({ id: "ask", question: "?", into: "log" }),
          toolNode({ id: "after", run: () => "after", into: "log" }),
        ],
        loops: graph({ name: "loops", state: { log: append<string>() } }).loop(
          toolNode({
            id: "turn",
            run: async ({ iteration }) => {
              turns.push(iteration ?? 0);
              if (iteration === 2) await gate.promise;
              return `turn ${iteration}`;
            },
            into: "log",
          }),
          { id: "L", until: ({ iteration }) => iteration === 3 },
        ),
      },
    })
    .compile(noEntities);
  const engine = engineFor(compiled);
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const run = await engine.run("run");
  await until(engine, ({ type, key }) => type === "step-started" && key === "fan.1/L#2/turn");
  expect((await engine.state("run")).waits).toMatchObject([{ key: "fan.0/ask" }]);
  await engine.signal("run", "fan.0/ask", "yes");
  await until(engine, ({ type }) => type === "branch-ended");
  expect((await engine.status("run")).kind).toBe("running");
  gate.resolve();
  const { result } = await endedOf(engine, "run", await run.ended);
  expect(result.state.log).toEqual(["yes", "after", "turn 1", "turn 2", "turn 3"]);
  expect(turns).toEqual([1, 2, 3]);
});

test("Mastra 9288, 16468: agents in branches ask the same question; each is answered separately, in any process", async () => {
  const disk: MemoryDisk = new Map();
  const replies: string[] = [];
  const host = new ScriptedHost(async ({ path }, { ask }) => {
    const answer = await ask({ tool: "bash", command: "npm test" });
    replies.push(`${path} ${answer}`);
    return String(answer);
  });
  const compiled = graph({ name: "two" })
    .parallel({ id: "fan", branches: [agentNode({ id: "a", prompt: "A" }), agentNode({ id: "b", prompt: "B" })] })
    .compile(noEntities);
  const store = memoryStore(disk);
  const first = engineFor(compiled, { host, store });
  await first.start({ runId: "run", graph: compiled.json, input: null });
  await first.run("run");
  await until(first, ({ type, key }) => type === "wait-started" && key === "fan.1/b?1");
  await first.signal("run", "fan.1/b?1", "deny");
  await until(first, ({ type }) => type === "branch-ended");
  store.crash();

  const second = engineFor(compiled, { host, store: memoryStore(disk) });
  const client = engineFor(compiled, { host, store: memoryStore(disk) });
  const run = await second.run("run");
  await until(second, ({ type }) => type === "run-claimed");
  expect(await client.signal("run", "fan.0/a?1", "allow")).toBe("kept");
  const { result } = await endedOf(second, "run", await run.ended);
  expect(result.outputs).toMatchObject({ a: "allow", b: "deny" });
  expect(replies).toEqual(["fan.1/b deny", "fan.0/a allow"]);
  // Asked again in the same session, not in another one.
  expect(host.opened.sort()).toEqual(["fan.0/a", "fan.1/b"]);
});

test("Mastra 5650, LangGraph js 1552: killed at each question two graphs deep, nothing runs again or is left out", async () => {
  const ran: string[] = [];
  const note = (id: string) => toolNode({ id, run: () => ran.push(id) });
  const ask = (id: string) => waitNode({ id, prompt: "?" });
  const deep = graph({ name: "deep" }).start(note("d1")).wait(ask("q2")).then(note("d2")).toGraph();
  const middle = graph({ name: "middle" })
    .start(note("m1"))
    .wait(ask("q1"))
    .then(subgraphNode({ id: "deep", graph: deep }))
    .wait(ask("q3"))
    .then(note("m2"))
    .toGraph();
  const compiled = graph({ name: "outer" })
    .start(note("o1"))
    .then(subgraphNode({ id: "middle", graph: middle }))
    .then(note("o2"))
    .compile(noEntities);
  const disk: MemoryDisk = new Map();
  for (const key of ["middle/q1", "middle/deep/q2", "middle/q3"]) {
    const store = memoryStore(disk);
    const engine = engineFor(compiled, { store });
    await engine.start({ runId: "run", graph: compiled.json, input: null });
    await engine.run("run");
    await until(engine, (event) => event.type === "wait-started" && event.key === key);
    store.crash();
    await engineFor(compiled, { store: memoryStore(disk) }).signal("run", key, true);
  }
  const last = engineFor(compiled, { store: memoryStore(disk) });
  expect(await (await last.run("run")).ended).toMatchObject({ kind: "done" });
  expect(ran).toEqual(["o1", "m1", "d1", "d2", "m2", "o2"]);
});
