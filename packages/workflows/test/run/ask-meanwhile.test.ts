// What an unanswered question costs: nothing.
import { describe, expect, test } from "bun:test";
import { quiet } from "@atomic/testing/simulation/clock";
import { deferred } from "@atomic/testing/waiting";
import { StepAbortedError } from "../../src/run/step-errors.ts";
import { InMemory } from "./in-memory.ts";

const question = { permission: "bash", command: "npm test" };

describe("while a step asks", () => {
  test("neither of its timeouts runs; after the answer both continue", async () => {
    let isAnswered = false;
    const runs = new InMemory(async (ctx) => {
      return await ctx.step(
        "work",
        async ({ ask, note }) => {
          await ask(question);
          isAnswered = true;
          for (;;) {
            note("alive");
            await new Promise<void>((resolve) => runs.clock.setTimeout(resolve, 50));
          }
        },
        { timeoutMs: 1000, idleMs: 100 },
      );
    });
    const { engine, run } = await runs.live();
    await runs.clock.advance(1_000_000);
    expect((await engine.status("run")).kind).toBe("waiting");
    await engine.signal("run", "work?1", "yes");
    await quiet();
    expect(isAnswered).toBe(true);
    await runs.clock.advance(999);
    expect((await engine.status("run")).kind).toBe("running");
    await runs.clock.advance(1);
    expect(await run.ended).toMatchObject({ kind: "failed", error: { code: "timeout" } });
  });

  test("silence after the answer is a timeout again", async () => {
    const runs = new InMemory(async (ctx) => {
      const work = async ({ ask }: { ask: (about: string) => Promise<unknown> }): Promise<null> => {
        await ask("go on?");
        return await new Promise(() => undefined);
      };
      return await ctx.step("work", work, { idleMs: 100 });
    });
    const { engine, run } = await runs.live();
    await runs.clock.advance(5000);
    await engine.signal("run", "work?1", "yes");
    await quiet();
    await runs.clock.advance(100);
    expect(await run.ended).toMatchObject({ kind: "failed", error: { code: "idle-timeout" } });
  });

  test("the time of its budget does not", async () => {
    const runs = new InMemory(
      async (ctx) => {
        return await ctx.step("work", async ({ ask, signal }) => {
          await new Promise<void>((resolve) => runs.clock.setTimeout(resolve, 600));
          await ask(question);
          return await new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
        });
      },
      { budget: { wallMs: 1000 } },
    );
    const { engine, run } = await runs.live();
    await runs.clock.advance(600);
    await runs.clock.advance(1_000_000);
    expect(await engine.status("run")).toMatchObject({ kind: "waiting" });
    await engine.signal("run", "work?1", "yes");
    await quiet();
    await runs.clock.advance(399);
    expect((await engine.status("run")).kind).toBe("running");
    await runs.clock.advance(1);
    expect(await run.ended).toMatchObject({ kind: "stopped", exceeded: { limit: "wallMs", allowed: 1000 } });
    expect((await engine.state("run")).spent.wallMs).toBe(1000);
  });

  test("its slots, in its queue and in the worker, are free for others", async () => {
    const order: string[] = [];
    const runs = new InMemory(
      async (ctx) => {
        const step = (key: string, asks: boolean) => async (own: typeof ctx) =>
          await own.step(
            key,
            async ({ ask }) => {
              order.push(`${key} begins`);
              if (asks) await ask(question);
              order.push(`${key} ends`);
              return key;
            },
            { queue: "agents" },
          );
        return await ctx.fork("fan", [step("a", true), step("b", false)], "all");
      },
      { queues: { agents: 1 } },
    );
    const { engine, run } = await runs.live();
    expect(order).toEqual(["a begins", "b begins", "b ends"]);
    await engine.signal("run", "a?1", "yes");
    expect(await run.ended).toMatchObject({ result: { value: ["a", "b"] } });
  });

  test("and its slot is taken when the answer comes, it continues when one is free", async () => {
    const held = deferred();
    const order: string[] = [];
    const runs = new InMemory(
      async (ctx) => {
        const asks = async (own: typeof ctx): Promise<string> =>
          await own.step("a", async ({ ask }) => String(order.push(`a ${await ask(question)}`)), { queue: "agents" });
        const works = async (own: typeof ctx): Promise<string> =>
          await own.step("b", () => held.promise.then(() => String(order.push("b"))), { queue: "agents" });
        return await ctx.fork("fan", [asks, works], "all");
      },
      { queues: { agents: 1 } },
    );
    const { engine, run } = await runs.live();
    await engine.signal("run", "a?1", "yes");
    await quiet();
    expect(order).toEqual([]);
    held.resolve();
    await run.ended;
    expect(order).toEqual(["b", "a yes"]);
  });
});

test("a budget that is used up elsewhere stops the run without waiting for an answer", async () => {
  const runs = new InMemory(
    async (ctx) => {
      const asks = async (own: typeof ctx): Promise<unknown> => await own.step("a", ({ ask }) => ask(question));
      const works = async (own: typeof ctx): Promise<unknown> => {
        for (let turn = 1; ; turn++) await own.step(`L#${turn}`, () => turn);
      };
      return await ctx.fork("fan", [asks as never, works as never], "all");
    },
    { budget: { steps: 5 } },
  );
  const { engine, run } = await runs.live();
  expect(await run.ended).toMatchObject({ kind: "stopped" });
  expect((await engine.state("run")).waits).toEqual([]);
  await engine.signal("run", "a?1", "yes");
  await engine.raise("run", { steps: 8 });
  const again = await runs.live();
  expect(await again.run.ended).toMatchObject({ kind: "stopped" });
  expect((await again.engine.state("run")).calls.get("a")).toMatchObject({ phase: { result: { value: "yes" } } });
});

test("a step that asks after its run has stopped is aborted", async () => {
  const isStopped = deferred();
  const reasons: unknown[] = [];
  const runs = new InMemory(
    async (ctx) => {
      const late = async (own: typeof ctx): Promise<null> =>
        await own.step("late", async ({ ask }) => {
          await isStopped.promise;
          await ask(question).catch((error: unknown) => reasons.push(error));
          return null;
        });
      const works = async (own: typeof ctx): Promise<null> => {
        for (let turn = 1; ; turn++) await own.step(`L#${turn}`, () => turn);
      };
      return await ctx.fork("fan", [late, works], "all");
    },
    { budget: { steps: 5 } },
  );
  const { run } = await runs.live();
  isStopped.resolve();
  expect(await run.ended).toMatchObject({ kind: "stopped" });
  expect(reasons).toEqual([new StepAbortedError("budget")]);
});
