import { expect, test } from "bun:test";
import { quiet } from "@atomic/testing/simulation/clock";
import { addUsage, type Budget, nothingSpent, overspent, usedUp } from "../../src/run/budget.ts";
import type { Json } from "../../src/run/json.ts";
import type { RunCtx, StepOptions } from "../../src/run/run-ctx.ts";
import { InMemory, type Life } from "./in-memory.ts";

test.each<[Budget, object | undefined]>([
  [{}, undefined],
  [{ usd: 1.01 }, undefined],
  [{ usd: 1 }, { limit: "usd", allowed: 1, spent: 1 }],
  [
    { tokens: 30, usd: 5 },
    { limit: "tokens", allowed: 30, spent: 30 },
  ],
  [{ tokens: 29 }, { limit: "tokens", allowed: 29, spent: 30 }],
])("with a dollar and thirty tokens spent, the budget %j has %j used up", (budget, expected) => {
  const spent = addUsage(nothingSpent, { usd: 1, inputTokens: 10, outputTokens: 20 });
  expect(usedUp(budget, spent)).toEqual(expected as never);
});

test("a used-up limit lets running steps end, an exceeded one does not", () => {
  expect(overspent({ usd: 1 }, { ...nothingSpent, usd: 1 })).toBeUndefined();
  expect(overspent({ usd: 1 }, { ...nothingSpent, usd: 1.01 })).toMatchObject({ limit: "usd" });
  expect(overspent({ steps: 1 }, { ...nothingSpent, steps: 9 })).toBeUndefined();
});

test("a limit that is exactly used up does not hide another that is exceeded", () => {
  const spent = { ...nothingSpent, usd: 1, tokens: 11 };
  expect(overspent({ usd: 1, tokens: 10 }, spent)).toEqual({ limit: "tokens", allowed: 10, spent: 11 });
});

/** Ten steps, each for a dollar and a minute. */
const tenSteps = (begun: number[]) => async (ctx: RunCtx) => {
  for (let turn = 1; turn <= 10; turn++) {
    await ctx.step(`L#${turn}`, async (info) => {
      begun.push(turn);
      await new Promise<void>((resolve) => runs.clock.setTimeout(resolve, 60_000));
      info.spend({ usd: 1, inputTokens: 1000, outputTokens: 100 });
      return turn;
    });
  }
  return "all";
};
let runs: InMemory;

test.each<[Budget, number, string]>([
  [{ usd: 3 }, 3, "$3.00 of $3.00 used"],
  [{ tokens: 5500 }, 5, "5500 of 5500 tokens used"],
  [{ steps: 4 }, 4, "4 of 4 steps used"],
  [{ steps: 1 }, 1, "1 of 1 step used"],
])("a budget of %j stops the run cleanly after %d steps", async (budget, steps, reason) => {
  const begun: number[] = [];
  runs = new InMemory(tenSteps(begun), { budget });
  const { run, engine } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "stopped", reason });
  expect(begun).toHaveLength(steps);
  // All that was begun was kept.
  expect(runs.types().filter((type) => type === "step-finished")).toHaveLength(steps);
  expect((await engine.state("run")).spent).toEqual({
    usd: steps,
    tokens: 1100 * steps,
    wallMs: 60_000 * steps,
    steps,
  });
});

test("time stops it in the middle of a step, which sees its signal fire", async () => {
  const reasons: string[] = [];
  runs = new InMemory(
    async (ctx) => {
      await ctx.wait("weeks of waiting for a person cost nothing");
      return await ctx.step("work", ({ signal }) => {
        signal.addEventListener("abort", () => reasons.push((signal.reason as { why: string }).why));
        return new Promise<Json>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      });
    },
    { budget: { wallMs: 90_000 } },
  );
  const { run, engine } = await runs.live();
  await runs.clock.advance(7 * 24 * 3600_000);
  await engine.signal("run", "weeks of waiting for a person cost nothing", null);
  await quiet();
  await runs.clock.advance(89_999);
  expect((await engine.status("run")).kind).toBe("running");
  await runs.clock.advance(2);
  expect(await run.ended).toMatchObject({ kind: "stopped", reason: "90 s of 90 s of work used" });
  expect(reasons).toEqual(["budget"]);
});

test("two parallel steps use up time once", async () => {
  runs = new InMemory(async (ctx) => {
    const branch = (key: string, ms: number) => (own: RunCtx) =>
      own.step(key, () => new Promise<null>((resolve) => runs.clock.setTimeout(() => resolve(null), ms)));
    return await ctx.fork("fan", [branch("a", 1000), branch("b", 3000)], "all");
  });
  const { run, engine } = await runs.live();
  await runs.clock.runAll();
  await run.ended;
  expect((await engine.state("run")).spent.wallMs).toBe(3000);
});

test("a raised budget lets the run continue where it stopped", async () => {
  const begun: number[] = [];
  runs = new InMemory(tenSteps(begun), { budget: { usd: 2 } });
  const first = await runs.live();
  await runs.clock.runAll();
  expect(await first.run.ended).toMatchObject({ kind: "stopped" });
  // Without a larger budget, taking the run changes and records nothing.
  const records = runs.events().length;
  expect(await (await runs.live()).run.ended).toMatchObject({ kind: "stopped" });
  expect(runs.events()).toHaveLength(records);
  const second = await runs.live();
  await second.engine.raise("run", { usd: 4 });
  expect((await second.engine.status("run")).kind).toBe("pending");
  const third = await runs.live();
  await runs.clock.runAll();
  expect(await third.run.ended).toMatchObject({ kind: "stopped", reason: "$4.00 of $4.00 used" });
  expect(begun).toEqual([1, 2, 3, 4]);
});

test("after a raise the reason is the limit that stops the run now", async () => {
  runs = new InMemory(tenSteps([]), { budget: { steps: 0, usd: 5 } });
  const { engine, run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ exceeded: { limit: "steps" } });
  await engine.raise("run", { steps: 50, usd: 0 });
  expect(await engine.status("run")).toMatchObject({
    kind: "stopped",
    exceeded: { limit: "usd", allowed: 0 },
    reason: "$0.00 of $0.00 used",
  });
  await engine.raise("run", { steps: 0 });
  expect(await engine.status("run")).toMatchObject({ exceeded: { limit: "steps", allowed: 0 } });
});

test("a budget can be raised before it is used up, while the run continues", async () => {
  const begun: number[] = [];
  runs = new InMemory(tenSteps(begun), { budget: { usd: 2, wallMs: 150_000 } });
  const { run, engine } = await runs.live();
  await runs.clock.advance(61_000);
  await engine.raise("run", { usd: 100, wallMs: 3600_000 });
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "done" });
});

test("a runaway step is aborted when it overspends, and its siblings with it", async () => {
  const aborted: string[] = [];
  runs = new InMemory(
    async (ctx) => {
      const branch = (key: string, usd: number) => (own: RunCtx) =>
        own.step(key, async (info) => {
          info.signal.addEventListener("abort", () => aborted.push(key));
          info.spend({ usd });
          return await new Promise<null>(() => undefined);
        });
      return await ctx.fork("fan", [branch("cheap", 0.1), branch("dear", 5)], "all");
    },
    { budget: { usd: 1 } },
  );
  const { run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "stopped", exceeded: { limit: "usd", spent: 5.1 } });
  expect(aborted).toEqual(["cheap", "dear"]);
});

test("a step that reports its cost at its very end keeps its result, however high the cost", async () => {
  runs = new InMemory(
    async (ctx) =>
      await ctx.step("dear", (info) => {
        info.spend({ usd: 50 });
        info.signal.throwIfAborted();
        return "paid for";
      }),
    { budget: { usd: 1 } },
  );
  const { run, engine } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "stopped" });
  expect((await engine.state("run")).calls.get("dear")).toMatchObject({
    phase: { kind: "finished", result: { value: "paid for" } },
  });
});

test("a step fails when its own budget is used up, and the run can handle it", async () => {
  runs = new InMemory(async (ctx) => {
    try {
      return await ctx.step(
        "dear",
        async (info) => {
          info.spend({ outputTokens: 600 });
          info.spend({ outputTokens: 600 });
          return await new Promise<null>(() => undefined);
        },
        { budget: { tokens: 1000 }, retries: 3 },
      );
    } catch (error) {
      return (error as { error: { code: string } }).error.code;
    }
  });
  const { run, engine } = await runs.live();
  expect(await run.ended).toMatchObject({ result: { value: "budget" } });
  expect((await engine.state("run")).spent.tokens).toBe(1200);
});

test("cancelled while it waits for running steps to end, a run that stopped is cancelled", async () => {
  runs = new InMemory(
    async (ctx) => {
      const long = (own: RunCtx) =>
        own.step(
          "long",
          ({ signal }) => new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null))),
        );
      const next = async (own: RunCtx) => {
        await own.wait("go");
        return await own.step("one too many", () => null);
      };
      return await ctx.fork("fan", [long, next], "all");
    },
    { budget: { steps: 1 } },
  );
  const { run, engine } = await runs.live();
  await quiet();
  await engine.signal("run", "go", null);
  await quiet();
  expect(await engine.status("run")).toMatchObject({ kind: "stopped" });
  await engine.cancel("run");
  expect(await run.ended).toMatchObject({ kind: "cancelled" });
});

test.each([{ usd: Number.NaN }, { outputTokens: -5 }, { usd: "1" as never }])(
  "a step that says it has spent %j fails, for a budget could not stop it",
  async (usage) => {
    runs = new InMemory(
      async (ctx) =>
        await ctx.step("odd", (info) => {
          info.spend(usage);
          return null;
        }),
    );
    expect(await (await runs.live()).run.ended).toMatchObject({ kind: "failed", error: { name: "TypeError" } });
  },
);

test.each<[string, object]>([
  ["-1", { usd: -1 }],
  ["NaN", { tokens: Number.NaN }],
  ['"3"', { steps: "3" }],
  ["dollars", { dollars: 3 }],
  ["Infinity", { usd: Number.POSITIVE_INFINITY }],
  ["null", { wallMs: null }],
])("a budget with %s is rejected", async (_name, budget) => {
  runs = new InMemory(async () => null, { budget: budget as Budget });
  await expect(runs.live()).rejects.toMatchObject({ code: "bad-request" });
});

test.each([Number.POSITIVE_INFINITY, Number.NaN])("a budget cannot be raised to %p", async (usd) => {
  runs = new InMemory(async (ctx) => (await ctx.wait("go")).ok, { budget: { usd: 1 } });
  const { engine } = await runs.live();
  await expect(engine.raise("run", { usd })).rejects.toMatchObject({ code: "bad-request" });
  expect((await engine.state("run")).budget).toEqual({ usd: 1 });
});

test("a run that exceeds one limit while another is exactly used up is stopped", async () => {
  runs = new InMemory(
    async (ctx) =>
      await ctx.step("runaway", async (info) => {
        info.spend({ usd: 1 });
        info.spend({ inputTokens: 1e9 });
        return await new Promise<null>(() => undefined);
      }),
    { budget: { usd: 1, tokens: 10 } },
  );
  const { run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "stopped", exceeded: { limit: "tokens" } });
});

/** A step that works for a minute and a dollar, and fails; its failure is the result of the run. */
const failing =
  (options: StepOptions, ask = false) =>
  async (ctx: RunCtx) => {
    try {
      return await ctx.step(
        "work",
        async (info) => {
          if (ask) await info.ask(`May I, for the ${info.attempt}. time?`);
          await new Promise<void>((resolve) => runs.clock.setTimeout(resolve, 60_000));
          info.spend({ usd: 1 });
          throw new Error("no luck");
        },
        { backoff: { ms: 1 }, ...options },
      );
    } catch (error) {
      return (error as Error).message;
    }
  };

test.each<[Budget, string]>([
  [
    { usd: 2 },
    "work failed after 2 attempts: the step's budget: $2.00 of $2.00 used; the last attempt failed: no luck",
  ],
  [{ usd: 1.5 }, "work failed after 2 attempts: the step's budget: $2.00 of $1.50 used"],
  [
    { steps: 3 },
    "work failed after 3 attempts: the step's budget: 3 of 3 attempts used; the last attempt failed: no luck",
  ],
  [{ wallMs: 150_000 }, "work failed after 3 attempts: the step's budget: 150 s of 150 s of work used"],
  [{ steps: 6 }, "work failed after 6 attempts: no luck"],
])("a step's budget of %j is one for all its attempts", async (budget, message) => {
  runs = new InMemory(failing({ budget, retries: 5 }));
  const { run } = await runs.live();
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: message } });
});

test("what its attempts used before a crash counts toward a step's budget", async () => {
  const budget = { wallMs: 150_000, usd: 100 };
  runs = new InMemory(failing({ budget, retries: 50 }));
  await runs.live();
  await runs.clock.advance(60_001); // the second attempt has begun
  const { run, engine } = await runs.live();
  expect((await engine.state("run")).calls.get("work")).toMatchObject({
    spent: { usd: 1, tokens: 0, wallMs: 60_000, steps: 2 },
  });
  await runs.clock.runAll();
  expect(await run.ended).toMatchObject({ result: { value: expect.stringContaining("150 s of work used") } });
  // One that ended, one that died with its process, one more and one that was cut short.
  expect((await engine.state("run")).spent).toMatchObject({ steps: 4, usd: 2 });
});

test("waiting for an answer does not use up a step's time budget, even after a crash", async () => {
  runs = new InMemory(failing({ budget: { wallMs: 100_000 }, retries: 50 }, true));
  const answer = async ({ engine }: Life, attempt: number): Promise<void> => {
    await runs.clock.advance(24 * 3600_000);
    await engine.signal("run", `work?${attempt}`, "yes");
    await quiet();
  };
  const first = await runs.live();
  await answer(first, 1);
  await runs.clock.advance(60_010);
  expect(runs.events().findLast(({ type }) => type === "step-failed")).toMatchObject({ workMs: 60_000 });
  const second = await runs.live();
  await answer(second, 3); // the second attempt had asked, too
  await runs.clock.advance(39_999);
  expect((await second.engine.status("run")).kind).toBe("running");
  await runs.clock.advance(2);
  expect(await second.run.ended).toMatchObject({
    result: { value: expect.stringContaining("100 s of work used") },
  });
});

test("reopening a failed run renews its steps' budgets", async () => {
  let isBroken = true;
  runs = new InMemory(
    async (ctx) =>
      await ctx.step("work", () => (isBroken ? Promise.reject(new Error("no")) : "done"), {
        retries: 5,
        backoff: { ms: 1 },
        budget: { steps: 2 },
      }),
  );
  const first = await runs.live();
  await runs.clock.runAll();
  expect(await first.run.ended).toMatchObject({ kind: "failed", error: { code: "budget" } });
  await first.engine.reopen("run");
  isBroken = false;
  const second = await runs.live();
  await runs.clock.runAll();
  expect(await second.run.ended).toMatchObject({ kind: "done" });
});
