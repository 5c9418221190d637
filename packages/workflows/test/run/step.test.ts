import { expect, test } from "bun:test";
import { deferred } from "@atomic/testing/waiting";
import type { StartedRun } from "../../src/run/engine.ts";
import { memoryEngine } from "../../src/run/memory/memory-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";
import { PermanentError, RateLimitError, type StepFailedError } from "../../src/run/step-errors.ts";
import { InMemory } from "./in-memory.ts";

test("the program gets everything that the run was started with", async () => {
  const seen: StartedRun[] = [];
  const engine = memoryEngine({
    interpret: async (_ctx, run) => {
      seen.push(run);
      return null;
    },
  });
  const given = { graph: { a: 1 }, input: "in", name: "ship", workspace: { commit: "c0ffee" } };
  await engine.start({ runId: "run", ...given });
  await (await engine.run("run")).ended;
  expect(seen).toEqual([given]);
});

test("a failed step is retried after a growing delay", async () => {
  const times: number[] = [];
  const runs = new InMemory(async (ctx) => {
    return await ctx.step(
      "flaky",
      ({ attempt }) => {
        times.push(runs.clock.monotonic());
        if (attempt < 4) throw new Error(`no ${attempt}`);
        return "yes";
      },
      { retries: 3, backoff: { ms: 100, factor: 3, maxMs: 500 } },
    );
  });
  const { run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: "yes" } });
  expect(times).toEqual([0, 100, 400, 900]);
  const failed = runs.events().filter((event) => event.type === "step-failed");
  expect(failed.map((event) => event.error.message)).toEqual(["no 1", "no 2", "no 3"]);
});

test("a delay before the next attempt continues after a crash, and earlier failures count", async () => {
  let attempts = 0;
  const runs = new InMemory(async (ctx) => {
    return await ctx.step(
      "flaky",
      () => {
        attempts += 1;
        throw new Error("no");
      },
      { retries: 2, backoff: { ms: 1000, factor: 1 } },
    );
  });
  await runs.live();
  runs.clock.jump(400); // this much of the delay passes while no process is running
  const { run } = await runs.live();
  await runs.clock.advance(599);
  expect(attempts).toBe(1);
  await runs.clock.advance(1);
  expect(attempts).toBe(2);
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "failed", error: { message: "no", key: "flaky" } });
  expect(attempts).toBe(3);
});

test("a final failure is thrown with its cause, and again after a crash without another attempt", async () => {
  const caught: StepFailedError[] = [];
  let attempts = 0;
  const runs = new InMemory(async (ctx) => {
    try {
      return await ctx.step("bad", () => {
        attempts += 1;
        throw new PermanentError("no key", { code: "no-key", details: { variable: "API_KEY" } });
      });
    } catch (error) {
      caught.push(error as StepFailedError);
      return await ctx.step("handler", () => new Promise<string>(() => undefined));
    }
  });
  await runs.live();
  await runs.live();
  expect(attempts).toBe(1);
  expect(caught.map(({ message }) => message)).toEqual(["bad failed: no key", "bad failed: no key"]);
  expect(caught.map(({ error }) => error)).toEqual([caught[0]!.error, caught[0]!.error]);
  expect(caught[1]!.error).toMatchObject({ code: "no-key", details: { variable: "API_KEY" } });
});

test("a permanent error is not retried", async () => {
  let attempts = 0;
  const runs = new InMemory(async (ctx) => {
    return await ctx.step(
      "bad",
      () => {
        attempts += 1;
        throw new PermanentError("never");
      },
      { retries: 5 },
    );
  });
  expect(await (await runs.live()).run.ended).toMatchObject({ kind: "failed" });
  expect(attempts).toBe(1);
});

test("every attempt has the same idempotency key, and an attempt that died with its process counts", async () => {
  const seen: [number, string][] = [];
  const runs = new InMemory(async (ctx) => {
    return await ctx.step("a/b", async ({ attempt, idemKey }) => {
      seen.push([attempt, idemKey]);
      return attempt < 3 ? await new Promise<number>(() => undefined) : attempt;
    });
  });
  await runs.live();
  await runs.live();
  const { run } = await runs.live();
  expect(await run.ended).toMatchObject({ result: { value: 3 } });
  expect(seen).toEqual([
    [1, "run/a/b"],
    [2, "run/a/b"],
    [3, "run/a/b"],
  ]);
});

test("a step that keeps killing its process fails", async () => {
  const runs = new InMemory(async (ctx) => await ctx.step("poison", () => new Promise<null>(() => undefined)), {
    maxCrashes: 3,
  });
  for (let life = 0; life < 3; life++) {
    await runs.live();
  }
  const { run } = await runs.live();
  expect(await run.ended).toMatchObject({ kind: "failed", error: { code: "crashed", key: "poison" } });
});

test("a process that releases a run on purpose does not count as a crash", async () => {
  const runs = new InMemory(async (ctx) => await ctx.step("long", () => new Promise<null>(() => undefined)), {
    maxCrashes: 1,
    graceMs: 0,
  });
  for (let life = 0; life < 3; life++) {
    const { run } = await runs.live();
    const released = run.release();
    await runs.clock.runAll();
    await released;
  }
  const { engine, run } = await runs.live();
  expect((await engine.status("run")).kind).toBe("running");
  expect((await engine.state("run")).calls.get("long")).toMatchObject({ attempt: 4, crashes: 0 });
  expect(run.runId).toBe("run");
});

test("an attempt that takes too long is aborted and counts as failed", async () => {
  const reasons: unknown[] = [];
  const runs = new InMemory(async (ctx) => {
    return await ctx.step(
      "slow",
      async ({ signal }) => {
        signal.addEventListener("abort", () => reasons.push((signal.reason as Error).message));
        return await new Promise<null>(() => undefined);
      },
      { timeoutMs: 5000, retries: 1, backoff: { ms: 0 } },
    );
  });
  const { run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({
    kind: "failed",
    error: { code: "timeout", message: "timed out after 5000 ms" },
  });
  expect(reasons).toEqual(["timed out after 5000 ms", "timed out after 5000 ms"]);
  expect(runs.clock.monotonic()).toBe(10_000);
});

test("an attempt that says something is not idle", async () => {
  const runs = new InMemory(async (ctx) => {
    return await ctx.step(
      "chatty",
      async (info) => {
        const { note, spend } = info;
        for (let word = 0; word < 5; word++) {
          await new Promise<void>((resolve) => runs.clock.setTimeout(resolve, 900));
          if (word % 2 === 0) note(`word ${word}`);
          else spend({ outputTokens: 1 });
        }
        return await new Promise<null>(() => undefined);
      },
      { idleMs: 1000 },
    );
  });
  const { run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ error: { code: "idle-timeout", message: "no activity for 1000 ms" } });
  expect(runs.clock.monotonic()).toBe(5 * 900 + 1000);
});

test("a provider's rate limit pauses the whole run until the date it names, and uses up no attempt", async () => {
  const begun: string[] = [];
  const runs = new InMemory(async (ctx) => {
    const ask = (key: string) => (own: RunCtx) =>
      own.step(key, ({ attempt }) => {
        begun.push(`${key} ${attempt} at ${runs.clock.monotonic()}`);
        if (attempt === 1) throw new RateLimitError("429: slow down", { resumeAt: runs.clock.now() + 60_000 });
        return key;
      });
    const both = await ctx.fork("fan", [ask("a")], "all");
    return [...both, await ctx.step("b", () => "b")];
  });
  const { run, engine } = await runs.live();
  expect(await engine.status("run")).toEqual({
    kind: "paused",
    reason: "429: slow down",
    until: runs.clock.now() + 60_000,
    ms: 60_000,
  });
  await runs.clock.advance(59_999);
  expect(begun).toEqual(["a 1 at 0"]);
  await runs.clock.advance(1);
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: ["a", "b"] } });
  expect(begun).toEqual(["a 1 at 0", "a 2 at 60000"]);
});

test("a pause continues after a crash, and other steps wait for its end too", async () => {
  const begun: string[] = [];
  const runs = new InMemory(async (ctx) => {
    const limited = (own: RunCtx) =>
      own.step("limited", ({ attempt }) => {
        begun.push(`limited ${attempt}`);
        if (attempt === 1) throw new RateLimitError("429", { retryAfterMs: 10_000 });
        return 1;
      });
    const late = async (own: RunCtx) => {
      await own.sleep("nap", 5000);
      return await own.step("late", () => {
        begun.push(`late at ${runs.clock.monotonic()}`);
        return 2;
      });
    };
    return await ctx.fork("fan", [limited, late], "all");
  });
  await runs.live();
  await runs.clock.advance(6000);
  const { run } = await runs.live();
  await runs.clock.advance(3999);
  expect(begun).toEqual(["limited 1"]);
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "done" });
  expect(begun.sort()).toEqual(["late at 10000", "limited 1", "limited 2"]);
});

test("a rate limit before a crash does not count against the step after it", async () => {
  const runs = new InMemory(async (ctx) => {
    return await ctx.step(
      "limited",
      ({ attempt }) => {
        if (attempt === 1) throw new RateLimitError("429", { retryAfterMs: 1000 });
        if (attempt === 2) throw new Error("a real failure");
        return attempt;
      },
      { retries: 1, backoff: { ms: 0 } },
    );
  });
  await runs.live();
  const { run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: 3 } });
});

test("a provider that asks for no pause is still not retried at once", async () => {
  const times: number[] = [];
  const runs = new InMemory(async (ctx) => {
    return await ctx.step("hot", ({ attempt }) => {
      times.push(runs.clock.monotonic());
      if (attempt < 3) throw new RateLimitError("429", { retryAfterMs: 0 });
      return null;
    });
  });
  const { run } = await runs.live();
  await runs.clock.runAll();
  await run.ended;
  expect(times).toEqual([0, 1000, 2000]);
});

test("a step sees what the journal keeps of its result, now as after a crash", async () => {
  const seen: unknown[] = [];
  const runs = new InMemory(async (ctx) => {
    const odd = (): never => ({ when: new Date(0), gone: undefined, nan: Number.NaN, list: [undefined] }) as never;
    seen.push(await ctx.step("odd", odd), await ctx.step("nothing", () => undefined as never));
    return await ctx.step("hold", () => new Promise<null>(() => undefined));
  });
  await runs.live();
  await runs.live();
  const kept = { when: "1970-01-01T00:00:00.000Z", nan: null, list: [null] };
  expect(seen).toEqual([kept, null, kept, null]);
});

test.each([
  [
    "a circle",
    () => {
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      return circle;
    },
  ],
  ["a big integer", () => 1n],
  ["a function", () => () => undefined],
])("a result that no journal can keep (%s) fails the step", async (_what, make) => {
  const runs = new InMemory(async (ctx) => await ctx.step("odd", () => make() as never));
  expect(await (await runs.live()).run.ended).toMatchObject({ kind: "failed", error: { code: "not-json" } });
});

test("a queue limits how many steps run at a time", async () => {
  const gates = [deferred(), deferred(), deferred(), deferred()];
  let running = 0;
  let most = 0;
  const runs = new InMemory(
    async (ctx) => {
      const branch = (index: number) => (own: RunCtx) =>
        own.step(
          `ask ${index}`,
          async () => {
            running += 1;
            most = Math.max(most, running);
            await gates[index]!.promise;
            running -= 1;
            return index;
          },
          { queue: "agents" },
        );
      return await ctx.fork("fan", [0, 1, 2, 3].map(branch), "all");
    },
    { queues: { agents: 2 } },
  );
  const { run } = await runs.live();
  expect(running).toBe(2);
  for (const gate of gates) gate.resolve();
  expect(await run.ended).toMatchObject({ result: { value: [0, 1, 2, 3] } });
  expect(most).toBe(2);
});

test("a local step's start is not recorded, and its result is journaled before the next non-local step starts", async () => {
  const runs = new InMemory(async (ctx) => {
    const decision = await ctx.step("decide", () => "left", { local: true });
    return await ctx.step(decision, () => runs.types());
  });
  const { run } = await runs.live();
  await run.ended;
  expect(runs.types()).toEqual([
    "run-created",
    "run-claimed",
    "step-finished",
    "step-started",
    "step-finished",
    "run-ended",
  ]);
});

test("an attempt knows what attempts that ended with their process have spent", async () => {
  const known: object[] = [];
  const spent = [10, 20, 30, 40];
  const runs = new InMemory((ctx) =>
    ctx.step(
      "ask",
      async ({ attempt, spend, countedBefore }) => {
        known.push({ ...countedBefore });
        spend({ usd: attempt, inputTokens: spent[attempt - 1] ?? 0 });
        if (attempt === 2) throw new Error("the second one fails");
        return await new Promise<null>(() => undefined);
      },
      { retries: 9, backoff: { ms: 1 } },
    ),
  );
  await runs.live();
  // The second attempt fails, and the third begins in the same process.
  await runs.live();
  await runs.clock.runAll();
  await runs.live();
  expect(known).toMatchObject([
    { usd: 0, tokens: 0 },
    { usd: 1, tokens: 10 },
    { usd: 0, tokens: 0 },
    { usd: 3, tokens: 30 },
  ]);
});
