// One graph with every kind of node, killed after every record of its journal, then once more, then once more.
import { expect, setDefaultTimeout, test } from "bun:test";
import { agentNode, clearContextNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import type { CompiledGraph } from "../../src/graph/compile.ts";
import { criteriaLoopNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import type { CriteriaLoopDecisions, NodeHost, TaskLoopDecisions } from "../../src/graph/services.ts";
import { append, reduced, sum } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { crashingStore } from "./crashing-store.ts";
import { engineFor, noEntities, type RunOptions, runGraph } from "./run-graph.ts";

setDefaultTimeout(600_000);

const isFull = process.env.SWEEP === "full";

/** What outlives every process: things done under a key are done once. */
class World {
  readonly done = new Map<string, Json>();
  readonly sessions = new Map<string, string[]>();

  once(key: string, value: Json): Json {
    if (!this.done.has(key)) this.done.set(key, value);
    return this.done.get(key) ?? null;
  }

  readonly host: NodeHost = {
    open: async ({ path }, { idemKey }) => {
      const session = String(this.once(idemKey, `session ${path}`));
      if (!this.sessions.has(session)) this.sessions.set(session, []);
      return session;
    },
    send: async ({ prompt }, session, { idemKey }) => {
      if (!this.done.has(idemKey)) this.sessions.get(String(session))?.push(prompt);
      return { text: String(this.once(idemKey, `re: ${prompt}`)) };
    },
    close: async () => undefined,
  };

  readonly taskLoop: TaskLoopDecisions = {
    pick: ({ iteration, tasksPath }) => {
      if (iteration > 2) return { do: "stop", reason: "all-complete", complete: true };
      return { do: "run", tasks: iteration === 1 ? [{ id: "a", tasksPath }, { id: "b" }] : [{ id: "c" }] };
    },
    settle: ({ task, outcome }, { idemKey }) => void this.once(idemKey, `${task.id} ${outcome.ok}`),
  };

  readonly criteriaLoop: CriteriaLoopDecisions = {
    judge: ({ iteration, memo }) =>
      iteration === 2 ? { do: "stop", reason: `after ${memo}`, complete: true } : { do: "continue", memo: iteration },
  };
}

function everything(world: World): CompiledGraph {
  const state = { log: append<string>(), n: sum(), own: reduced("", (current, update) => `${current}${update}`) };
  const effect = (id: string) =>
    toolNode<{ readonly log: readonly string[]; readonly n: number; readonly own: string }>({
      id,
      run: (_state, { idemKey }) => world.once(idemKey, id),
      output: () => ({ log: [id], n: 1, own: id }),
    });
  const inside = graph({ name: "inside", state })
    .start(effect("deep"))
    .wait(waitNode({ id: "ask", prompt: "?" }))
    .toGraph();
  return graph({ name: "everything", state })
    .start(effect("start"))
    .parallel({
      id: "fan",
      limit: 2,
      branches: [
        [effect("a1"), effect("a2")],
        [agentNode({ id: "agent", prompt: ({ n }) => `n is ${n}`, session: "main", into: "log" }), effect("b2")],
        graph({ name: "y", state }).loop(effect("c"), { id: "L", until: ({ iteration }) => iteration === 2 }),
      ],
    })
    .then(toolNode({ id: "asker", run: async (_state, { ask }) => String(await ask("Go on?")), into: "log" }))
    .if(({ n }) => n === 6)
    .then(subgraphNode({ id: "sub", graph: inside, output: ({ log }) => ({ log }) }))
    .endif()
    .then(
      toolNode({ id: "bad", run: () => Promise.reject(new Error("always")), retry: { maxAttempts: 2, backoffMs: 0 } }),
    )
    .catch(effect("handler"))
    .then(taskLoopNode({ taskNodes: effect("task"), limit: 2 }))
    .then(criteriaLoopNode({ taskNodes: agentNode({ id: "polish", prompt: "Polish.", session: "main" }) }))
    .then(clearContextNode())
    .compile(noEntities);
}

const signals = { "try/decision.0/sub/ask": "yes", "try/asker?1": "asked" };

async function live(world: World, disk: MemoryDisk, records: number): Promise<"died" | "ended"> {
  const { store, died } = crashingStore(disk, records);
  const compiled = everything(world);
  const engine = engineFor(compiled, optionsOf(world, { store }));
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  if ((await engine.status("run")).kind === "done") return "ended";
  for (const [key, value] of Object.entries(signals)) await engine.signal("run", key, value);
  const run = await engine.run("run");
  return await Promise.race([died.then(() => "died" as const), run.ended.then(() => "ended" as const)]);
}

function optionsOf(world: World, more: RunOptions): RunOptions {
  const { host, taskLoop, criteriaLoop } = world;
  return { host, taskLoop, criteriaLoop, ...more };
}

async function outcomeOf(world: World, disk: MemoryDisk): Promise<unknown> {
  const compiled = everything(world);
  const engine = engineFor(compiled, optionsOf(world, { store: memoryStore(disk) }));
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const before = await engine.status("run");
  const options = optionsOf(world, { store: memoryStore(disk), signals: before.kind === "done" ? {} : signals });
  const { status, keys } = before.kind === "done" ? { status: before, keys: [] } : await runGraph(compiled, options);
  expect(new Set(keys).size).toBe(keys.length);
  const { at: _, ...rest } = status as { at?: number };
  return { ...rest, done: Object.fromEntries([...world.done].sort()), sessions: Object.fromEntries(world.sessions) };
}

const undisturbed = await (async () => {
  const world = new World();
  const outcome = await outcomeOf(world, new Map());
  return { outcome, effects: world.done.size };
})();

test("undisturbed, it does all of its work", () => {
  expect(undisturbed.outcome).toMatchObject({
    kind: "done",
    result: { value: { state: { n: 10, own: "starta1a2b2cchandlertasktasktask" } } },
    sessions: { "session try/fan.1/agent": ["n is 1", "Polish.", "Polish."] },
  });
  expect(undisturbed.effects).toBe(18);
});

test("killed after any record, it reaches the same result, with every effect once", async () => {
  let points = 0;
  for (let records = 1; ; records++) {
    const world = new World();
    const disk: MemoryDisk = new Map();
    if ((await live(world, disk, records)) === "ended") break;
    expect(await outcomeOf(world, disk)).toEqual(undisturbed.outcome);
    points += 1;
  }
  expect(points).toBeGreaterThan(70);
});

test("killed three times in a row, anywhere, it reaches the same result", async () => {
  // Every 7th point, or every one, then distances to the next two deaths that show another interleaving.
  for (let first = 1; first < 78; first += isFull ? 1 : 7) {
    for (const second of isFull ? [1, 2, 3, 4, 5, 7, 8, 11] : [2, 3, 5, 8]) {
      const world = new World();
      const disk: MemoryDisk = new Map();
      for (const records of [first, second, 4]) await live(world, disk, records);
      expect(await outcomeOf(world, disk)).toEqual(undisturbed.outcome);
    }
  }
});
