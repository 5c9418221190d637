import { expect, test } from "bun:test";
import { quiet } from "@atomic/testing/simulation/clock";
import { addUsage, type Budget, nothingSpent, overspent, usedUp } from "../../src/run/budget.ts";
import type { Json } from "../../src/run/json.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";
import { InMemory } from "./in-memory.ts";

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

test("what is just used up lets running steps end, what is overspent does not", () => {
  expect(overspent({ usd: 1 }, { ...nothingSpent, usd: 1 })).toBeUndefined();
  expect(overspent({ usd: 1 }, { ...nothingSpent, usd: 1.01 })).toMatchObject({ limit: "usd" });
  expect(overspent({ steps: 1 }, { ...nothingSpent, steps: 9 })).toBeUndefined();
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
  [{ usd: 3 }, 3, "$3.00 of $3.00 are used up"],
  [{ tokens: 5500 }, 5, "5500 tokens of 5500 tokens are used up"],
  [{ steps: 4 }, 4, "4 steps of 4 steps are used up"],
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
  expect(await run.ended).toMatchObject({ kind: "stopped", reason: "90 s of work of 90 s of work are used up" });
  expect(reasons).toEqual(["budget"]);
});

test("two steps side by side use up time once", async () => {
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

test("a raised budget lets the run go on where it stopped", async () => {
  const begun: number[] = [];
  runs = new InMemory(tenSteps(begun), { budget: { usd: 2 } });
  const first = await runs.live();
  await runs.clock.runAll();
  expect(await first.run.ended).toMatchObject({ kind: "stopped" });
  // As it is, whoever takes it leaves it at that, without a trace.
  const records = runs.events().length;
  expect(await (await runs.live()).run.ended).toMatchObject({ kind: "stopped" });
  expect(runs.events()).toHaveLength(records);
  const second = await runs.live();
  await second.engine.raise("run", { usd: 4 });
  expect((await second.engine.status("run")).kind).toBe("pending");
  const third = await runs.live();
  await runs.clock.runAll();
  expect(await third.run.ended).toMatchObject({ kind: "stopped", reason: "$4.00 of $4.00 are used up" });
  expect(begun).toEqual([1, 2, 3, 4]);
});

test("a budget can be raised before it is used up, while the run goes on", async () => {
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

test("a step that tells what it cost at its very end has its result kept, however much that was", async () => {
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

test("a step with a budget of its own fails when that is used up, and the run can handle it", async () => {
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

test.each([{ usd: -1 }, { tokens: Number.NaN }, { steps: "3" }, { dollars: 3 }])("%j is no budget", async (budget) => {
  runs = new InMemory(async () => null, { budget: budget as Budget });
  await expect(runs.live()).rejects.toMatchObject({ code: "bad-request" });
});
