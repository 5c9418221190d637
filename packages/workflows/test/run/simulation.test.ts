// The whole life of a run under schedules that a seed chooses: crashes, signals, cancels and a clock that jumps, in any order.
import { expect, setDefaultTimeout, test } from "bun:test";
import { simulate } from "@atomic/testing/simulation";
import type { World } from "@atomic/testing/simulation/world";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, type MemoryStore, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { replay } from "../../src/run/replay.ts";
import type { RunCtx, StepInfo } from "../../src/run/run-ctx.ts";
import { RateLimitError } from "../../src/run/step-errors.ts";

setDefaultTimeout(120_000);

const year = 365 * 24 * 3600_000;

/** The world outside: an effect with an idempotency key happens once, however often it is asked for. */
class Outside {
  readonly effects = new Map<string, Json>();
  readonly asked = new Map<string, number>();

  apply(idemKey: string, value: Json): Json {
    this.asked.set(idemKey, (this.asked.get(idemKey) ?? 0) + 1);
    if (!this.effects.has(idemKey)) this.effects.set(idemKey, value);
    return this.effects.get(idemKey)!;
  }
}

/** Start, three branches of two steps, an approval, a loop with failures, an end. */
function program(world: World, outside: Outside, isAlive: () => boolean) {
  const effect =
    (key: string, value: Json, fails = 0) =>
    async ({ idemKey, attempt }: StepInfo): Promise<Json> => {
      await world.step(`${key} (${attempt})`);
      if (!isAlive()) return await new Promise<Json>(() => undefined);
      if (attempt <= fails) throw fails === 2 ? new RateLimitError("429", { retryAfterMs: 5000 }) : new Error("flaky");
      const result = outside.apply(idemKey, value);
      await world.step(`${key} answers`);
      return result;
    };
  return async (ctx: RunCtx): Promise<Json> => {
    const start = await ctx.step("start", effect("start", "s"));
    const branch = (index: number) => async (own: RunCtx) => {
      const one = await own.step(`fan.${index}/one`, effect(`fan.${index}/one`, index));
      await own.sleep(`fan.${index}/nap`, index * 1000);
      return [one, await own.step(`fan.${index}/two`, effect(`fan.${index}/two`, index * 10))];
    };
    const fan = await ctx.fork("fan", [0, 1, 2].map(branch), "all");
    const approved = await ctx.wait("approve");
    const turns: Json[] = [];
    for (let turn = 1; turn <= 3; turn++) {
      const key = `L#${turn}/work`;
      turns.push(await ctx.step(key, effect(key, turn, turn === 2 ? 1 : turn === 3 ? 2 : 0), { retries: 9 }));
    }
    const asked = await ctx.step("asked", async (info) => {
      const answers = [await info.ask("first?"), await info.ask("second?")];
      return await effect("asked", answers)(info);
    });
    return [start, fan, approved.ok ? approved.value : null, turns, asked];
  };
}

const truth = [
  "s",
  [
    [0, 0],
    [1, 10],
    [2, 20],
  ],
  "yes",
  [1, 2, 3],
  ["one", "two"],
];

function hasAsked(disk: MemoryDisk, key: string): boolean {
  return disk.get("run")!.events.some((event) => event.type === "wait-started" && event.key === key);
}

interface Process {
  readonly store: MemoryStore;
  readonly ended: Promise<unknown>;
}

async function startProcess(world: World, disk: MemoryDisk, outside: Outside): Promise<Process> {
  const store = memoryStore(disk);
  let isAlive = true;
  const crash = store.crash.bind(store);
  store.crash = () => {
    isAlive = false;
    crash();
  };
  const engine = memoryEngine({ interpret: program(world, outside, () => isAlive), clock: world.clock }, store);
  const run = await engine.run("run");
  return { store, ended: run.ended };
}

test("whenever and however often it crashes, a run ends the same and every effect happens once", async () => {
  await simulate({ runs: 150, steps: 50_000 }, async (world) => {
    const disk: MemoryDisk = new Map();
    const outside = new Outside();
    const client = memoryEngine({ interpret: async () => null, clock: world.clock }, memoryStore(disk));
    await client.start({ runId: "run", graph: null, input: null });
    let isOver = false;
    world.start("a person approves", async () => {
      await client.signal("run", "approve", "yes");
      await client.signal("run", "approve", "no");
    });
    world.start("another one answers", async () => {
      await world.until("something is asked", () => hasAsked(disk, "asked?1"));
      await client.signal("run", "asked?1", "one");
      await world.until("more is asked", () => hasAsked(disk, "asked?2"));
      await client.signal("run", "asked?2", "two");
    });
    let process = await startProcess(world, disk, outside);
    const crashes = world.random.integer(6);
    for (let crash = 0; crash < crashes && !isOver; crash++) {
      const steps = 1 + world.random.integer(12);
      for (let step = 0; step < steps; step++) await world.step("time goes by");
      if ((await client.status("run")).kind === "done") break;
      world.note("the process is killed");
      process.store.crash();
      if (world.random.chance(0.3)) world.clock.jump(world.random.chance(0.5) ? year : -year);
      process = await startProcess(world, disk, outside);
    }
    await process.ended;
    isOver = true;
    const status = await client.status("run");
    expect(status).toMatchObject({ kind: "done", result: { value: truth } });
    expect([...outside.effects.keys()]).toHaveLength(11);
    // A step that the journal says has ended is never asked for again.
    const entries = memoryStore(disk).read("run");
    const finished = entries
      .filter(({ event }) => event.type === "step-finished")
      .map(({ event }) => (event as { key: string }).key);
    expect(new Set(finished).size).toBe(finished.length);
    expect(replay(entries)?.status.kind).toBe("done");
  });
});

test("whenever it is cancelled, a run ends, and nothing starts after that", async () => {
  await simulate({ runs: 100, steps: 50_000 }, async (world) => {
    const disk: MemoryDisk = new Map();
    const outside = new Outside();
    const client = memoryEngine({ interpret: async () => null, clock: world.clock }, memoryStore(disk));
    await client.start({ runId: "run", graph: null, input: null });
    for (const key of ["approve", "asked?1", "asked?2"]) await client.signal("run", key, "yes");
    const process = await startProcess(world, disk, outside);
    const steps = world.random.integer(40);
    for (let step = 0; step < steps; step++) await world.step("time goes by");
    await client.cancel("run");
    await process.ended;
    const { kind } = await client.status("run");
    expect(["cancelled", "done"]).toContain(kind);
    const asked = [...outside.asked.values()].reduce((sum, each) => sum + each, 0);
    const records = memoryStore(disk).read("run").length;
    await world.settled();
    expect(memoryStore(disk).read("run")).toHaveLength(records);
    // What was under way may still have happened; nothing more.
    const begun = memoryStore(disk)
      .read("run")
      .filter(({ event }) => event.type === "step-started").length;
    expect([...outside.asked.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(
      Math.max(asked, begun),
    );
  });
});

test("of several workers that come and go, one at a time works on a run", async () => {
  await simulate({ runs: 60, steps: 50_000 }, async (world) => {
    const disk: MemoryDisk = new Map();
    const client = memoryEngine({ interpret: async () => null, clock: world.clock }, memoryStore(disk));
    await client.start({ runId: "run", graph: null, input: null });
    let inside = 0;
    const worker = async () => {
      const store = memoryStore(disk);
      let isAlive = true;
      let own = 0;
      const engine = memoryEngine(
        {
          clock: world.clock,
          pollMs: 100,
          graceMs: 10,
          interpret: async (ctx) => {
            for (let turn = 0; turn < 4; turn++) {
              await ctx.step(`L#${turn}`, async ({ signal }) => {
                inside += 1;
                own += 1;
                expect(inside).toBe(1);
                await world.step(`turn ${turn}`, { within: 50 });
                if (!isAlive || signal.aborted) return await new Promise<number>(() => undefined);
                inside -= 1;
                own -= 1;
                return turn;
              });
            }
            return "done";
          },
        },
        store,
      );
      const loop = await engine.work({ concurrency: 1 });
      return {
        kill: () => {
          isAlive = false;
          inside -= own; // a killed process is no longer inside
          store.crash();
          void loop.stop();
        },
      };
    };
    const workers = [await worker(), await worker()];
    for (let step = 0; step < world.random.integer(8); step++) await world.step("time goes by", { within: 200 });
    // The one that holds it dies; the other one, and one that comes new, are there.
    workers[0]!.kill();
    workers.push(await worker());
    await world.until("the run has ended", () => disk.get("run")?.events.at(-1)?.type === "run-ended");
    for (const each of workers) each.kill();
    expect(await client.status("run")).toMatchObject({ kind: "done" });
  });
});
