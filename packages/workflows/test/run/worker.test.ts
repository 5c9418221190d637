import { expect, test } from "bun:test";
import { fakeClock, quiet } from "@atomic/testing/simulation/clock";
import { deferred } from "@atomic/testing/waiting";
import type { LocalEngine } from "../../src/run/engine.ts";
import { Slots } from "../../src/run/execution/slots.ts";
import { type MemoryDisk, type MemoryStore, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";
import { RunError } from "../../src/run/run-error.ts";

/** Until several things that each need a turn of the loop have had theirs. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await quiet();
}

async function startAll(engine: LocalEngine, ...runIds: string[]): Promise<void> {
  for (const runId of runIds) await engine.start({ runId, graph: null, input: runId });
}

test("a worker limits how many runs it works on at a time", async () => {
  const gates = new Map(["a", "b", "c"].map((runId) => [runId, deferred()]));
  const begun: string[] = [];
  const clock = fakeClock();
  const engine = memoryEngine({
    clock,
    interpret: async (ctx) =>
      await ctx.step("work", async () => {
        begun.push(ctx.runId);
        await gates.get(ctx.runId)?.promise;
        return null;
      }),
  });
  await startAll(engine, "a", "b", "c");
  const worker = await engine.work({ concurrency: 2 });
  await settled();
  expect(begun).toEqual(["a", "b"]);
  gates.get("b")!.resolve();
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
  const stopped = worker.stop();
  await clock.advance(5000); // they do not listen
  await stopped;
  expect((await engine.status("b")).kind).toBe("done");
  expect((await engine.status("c")).kind).toBe("pending");
});

test("runs that wait for a person or a date take no slot", async () => {
  const clock = fakeClock();
  const acted: string[] = [];
  const engine = memoryEngine({
    clock,
    interpret: async (ctx) => {
      await ctx.step("plan", () => null);
      if (ctx.runId.startsWith("nap")) await ctx.sleep("nap", 1000);
      else await ctx.wait("approve");
      return await ctx.step("act", () => {
        acted.push(ctx.runId);
        return null;
      });
    },
  });
  const waiting = Array.from({ length: 20 }, (_, index) => `wait-${index}`);
  await startAll(engine, ...waiting, "nap", "last");
  const worker = await engine.work({ concurrency: 1 });
  for (let turn = 0; turn < 100; turn++) {
    await clock.advance(1);
    await settled();
  }
  for (const runId of [...waiting, "nap", "last"]) expect((await engine.status(runId)).kind).toBe("waiting");
  await engine.signal("last", "approve", null);
  await clock.advance(2000);
  await quiet();
  expect(acted.sort()).toEqual(["last", "nap"]);
  await worker.stop();
});

test("a worker takes a run that is started later, and one whose budget is raised", async () => {
  const clock = fakeClock();
  const engine = memoryEngine({
    clock,
    interpret: async (ctx) => {
      for (let turn = 0; turn < 3; turn++) await ctx.step(`L#${turn}`, () => turn);
      return "done";
    },
  });
  const worker = await engine.work({ concurrency: 1 });
  await engine.start({ runId: "run", graph: null, input: null, budget: { steps: 2 } });
  await clock.advance(10_000);
  await quiet();
  expect((await engine.status("run")).kind).toBe("stopped");
  const records = (await engine.state("run")).records;
  await clock.advance(10_000);
  // It is not taken again and again meanwhile.
  expect((await engine.state("run")).records).toBe(records);
  await engine.raise("run", { steps: 5 });
  await clock.advance(10_000);
  await quiet();
  expect((await engine.status("run")).kind).toBe("done");
  await worker.stop();
});

test("a step that ignores its signal is waited for no longer than the grace period", async () => {
  const clock = fakeClock();
  const deaf = deferred();
  const engine = memoryEngine({
    clock,
    graceMs: 3000,
    interpret: async (ctx: RunCtx) => await ctx.step("deaf", () => deaf.promise.then(() => "late")),
  });
  await startAll(engine, "run");
  const run = await engine.run("run");
  await quiet();
  await engine.cancel("run");
  await clock.advance(2999);
  expect((await engine.status("run")).kind).toBe("cancelling");
  await clock.advance(1);
  expect(await run.ended).toMatchObject({ kind: "cancelled" });
  const { records } = await engine.state("run");
  deaf.resolve();
  await quiet();
  expect((await engine.state("run")).records).toBe(records);
});

test("a run is taken over once its owner is dead, even if nothing about it has changed", async () => {
  const clock = fakeClock();
  const disk: MemoryDisk = new Map();
  const dying = memoryStore(disk);
  const stuck = memoryEngine(
    { clock, interpret: async (ctx) => await ctx.step("s", () => new Promise(() => undefined)) },
    dying,
  );
  await startAll(stuck, "run");
  await stuck.run("run");
  const engine = memoryEngine(
    { clock, interpret: async (ctx) => await ctx.step("s", () => "mine") },
    memoryStore(disk),
  );
  const worker = await engine.work({ concurrency: 1 });
  for (let look = 0; look < 5; look++) {
    await clock.advance(1000);
    await settled();
  }
  expect((await engine.status("run")).kind).toBe("running");
  dying.crash();
  expect((await engine.status("run")).kind).toBe("interrupted");
  await clock.advance(1000);
  await settled();
  expect(await engine.status("run")).toMatchObject({ kind: "done", result: { value: "mine" } });
  await worker.stop();
});

/** A store in which something happens once the run has ended here, just before the worker asks for its stamp. */
function withLast(store: MemoryStore, hasEnded: () => boolean, happens: () => Promise<unknown>): MemoryStore {
  let isOver = false;
  return {
    ...store,
    stamp: async (runId) => {
      if (!isOver && hasEnded()) {
        isOver = true;
        await happens();
      }
      return await store.stamp(runId);
    },
  };
}

test("a budget raised at the very moment a worker leaves a stopped run is not overlooked", async () => {
  const clock = fakeClock();
  const disk: MemoryDisk = new Map();
  const other = memoryEngine({ clock, interpret: async () => null }, memoryStore(disk));
  const released = (): boolean => disk.get("run")?.events.at(-1)?.type === "run-released";
  const store = withLast(memoryStore(disk), released, () => other.raise("run", { steps: 9 }));
  const engine = memoryEngine(
    {
      clock,
      interpret: async (ctx) => {
        for (const key of ["a", "b"]) await ctx.step(key, () => null);
        return "done";
      },
    },
    store,
  );
  await engine.start({ runId: "run", graph: null, input: null, budget: { steps: 1 } });
  const worker = await engine.work({ concurrency: 1 });
  for (let look = 0; look < 5; look++) {
    await clock.advance(1000);
    await settled();
  }
  expect((await engine.status("run")).kind).toBe("done");
  await worker.stop();
});

test("a failed run that is retried at the very moment its worker leaves it is not overlooked", async () => {
  const clock = fakeClock();
  const disk: MemoryDisk = new Map();
  const other = memoryEngine({ clock, interpret: async () => null }, memoryStore(disk));
  const ended = (): boolean => disk.get("run")?.events.at(-1)?.type === "run-ended";
  let attempts = 0;
  const engine = memoryEngine(
    {
      clock,
      interpret: async () => {
        attempts += 1;
        if (attempts === 1) throw new Error("not this time");
        return "done";
      },
    },
    withLast(memoryStore(disk), ended, () => other.reopen("run")),
  );
  await startAll(engine, "run");
  const worker = await engine.work({ concurrency: 1 });
  for (let look = 0; look < 5; look++) {
    await clock.advance(1000);
    await settled();
  }
  expect((await engine.status("run")).kind).toBe("done");
  await worker.stop();
});

test("a worker that could not write a run's journal tries the run again, ever less often", async () => {
  const clock = fakeClock();
  const store = memoryStore();
  let isBroken = true;
  let opened = 0;
  const problems: string[] = [];
  const engine = memoryEngine(
    {
      clock,
      onProblem: (_runId, error) => problems.push((error as RunError).code),
      interpret: async (ctx) => await ctx.step("s", () => (isBroken ? new Promise<string>(() => undefined) : "done")),
    },
    {
      ...store,
      open: async (runId, options) => {
        opened += 1;
        const log = await store.open(runId, options);
        if (isBroken) setImmediate(() => options.failed(new RunError("lost", { message: "The connection broke" })));
        return log;
      },
    },
  );
  await startAll(engine, "run");
  const worker = await engine.work({ concurrency: 1 });
  for (let second = 0; second < 30; second++) {
    await clock.advance(1000);
    await settled();
  }
  // After 1, 2, 4, 8 … seconds.
  expect(opened).toBe(5);
  expect(problems).toEqual(Array.from({ length: 5 }, () => "lost"));
  isBroken = false;
  await clock.advance(60_000);
  await settled();
  expect((await engine.status("run")).kind).toBe("done");
  await worker.stop();
});

test("a worker for zero runs is refused", async () => {
  await expect(memoryEngine({ interpret: async () => null }).work({ concurrency: 0 })).rejects.toMatchObject({
    code: "bad-request",
  });
});

test("slots are given in the order of the requests", async () => {
  const places = new Slots(1);
  const order: number[] = [];
  expect(places.take()).toBeUndefined();
  const waiting = [1, 2].map((each) => places.take()?.then(() => order.push(each)));
  places.give();
  places.give();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
  places.give();
  expect(places.take()).toBeUndefined();
});

test("workers with another program try a run once each, and leave it to the program that started it", async () => {
  const disk: MemoryDisk = new Map();
  const clock = fakeClock();
  const problems: string[] = [];
  const begins = async (ctx: RunCtx): Promise<null> => {
    await ctx.step("a", () => 1);
    await ctx.wait("w");
    return null;
  };
  const engineOf = (interpret: (ctx: RunCtx) => Promise<null>): LocalEngine =>
    memoryEngine(
      { interpret, clock, onProblem: (_runId, error) => problems.push((error as { code: string }).code) },
      memoryStore(disk),
    );
  const first = engineOf(begins);
  await startAll(first, "run");
  const begun = await first.run("run");
  await settled();
  await begun.release();
  const others = [0, 1].map(() =>
    engineOf(async (ctx) => {
      await ctx.sleep("a", 1);
      return null;
    }),
  );
  const workers = await Promise.all(others.map((engine) => engine.work({ concurrency: 1 })));
  for (let look = 0; look < 10; look++) {
    await clock.advance(500);
    await settled();
  }
  expect(problems).toEqual(["diverged", "diverged"]);
  expect(await first.status("run")).toEqual({ kind: "pending" });
  for (const worker of workers) await worker.stop();
  await first.signal("run", "w", null);
  expect(await (await first.run("run")).ended).toMatchObject({ kind: "done" });
});

test("a run that cannot be executed here now is tried again later, and not failed", async () => {
  await expectLater("program");
});

test("a run whose step finds something missing is tried again later, and not failed", async () => {
  await expectLater("step");
});

async function expectLater(who: "program" | "step"): Promise<void> {
  const clock = fakeClock();
  let isReady = false;
  const problems: string[] = [];
  const engine = memoryEngine({
    clock,
    onProblem: (_runId, error) => problems.push((error as RunError).code),
    interpret: async (ctx) => {
      const work = (): string => {
        if (!isReady) throw new RunError("not-ready", { message: "The workspace is missing" });
        return "done";
      };
      if (who === "program") work();
      return await ctx.step("work", work);
    },
  });
  await startAll(engine, "run");
  const worker = await engine.work({ concurrency: 1 });
  for (let second = 0; second < 30; second++) {
    await clock.advance(1000);
    await settled();
  }
  // After 1, 2, 4, 8 … seconds.
  expect(problems).toEqual(Array.from({ length: 5 }, () => "not-ready"));
  expect((await engine.status("run")).kind).toBe("pending");
  isReady = true;
  await clock.advance(60_000);
  await settled();
  expect(await engine.status("run")).toMatchObject({ kind: "done", result: { value: "done" } });
  await worker.stop();
}
