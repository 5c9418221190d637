import { describe, expect, test } from "bun:test";
import { quiet } from "@atomic/testing/simulation/clock";
import { deferred } from "@atomic/testing/waiting";
import type { OpenWait } from "../../src/run/run-state.ts";
import { PermanentError, StepAbortedError } from "../../src/run/step-errors.ts";
import { InMemory } from "./in-memory.ts";

const question = { permission: "bash", command: "npm test" };

const asking = (options: ConstructorParameters<typeof InMemory>[1] = {}, step = {}): InMemory =>
  new InMemory(async (ctx) => await ctx.step("work", async ({ ask }) => await ask(question), step), options);

test("a step's question is in the run's state and in its events", async () => {
  const { engine, run } = await asking().live();
  const wanted = { kind: "signal", key: "work?1", step: "work", about: question } satisfies OpenWait;
  expect(await engine.status("run")).toMatchObject({ kind: "waiting", for: [wanted] });
  expect((await engine.state("run")).waits).toEqual([wanted]);
  const waitEvents: object[] = [];
  const watching = (async () => {
    for await (const event of run) if (event.type.startsWith("wait-")) waitEvents.push(event);
  })();
  await engine.signal("run", "work?1", "allow");
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: "allow" } });
  await watching;
  expect(waitEvents).toMatchObject([
    { type: "wait-started", key: "work?1", step: "work", about: question },
    { type: "wait-ended", key: "work?1", ok: true },
  ]);
});

test("a question is visible while another branch works", async () => {
  const runs = new InMemory(async (ctx) => {
    const busy = (): Promise<null> => new Promise(() => undefined);
    return await ctx.fork(
      "fan",
      [async (own) => await own.step("a", ({ ask }) => ask("a?")), async (own) => await own.step("b", busy)],
      "all",
    );
  });
  const { engine } = await runs.live();
  expect((await engine.status("run")).kind).toBe("running");
  expect((await engine.state("run")).waits).toMatchObject([{ key: "a?1", about: "a?" }]);
});

test("questions that are open at the same time are answered in any order", async () => {
  const runs = new InMemory(
    async (ctx) => await ctx.step("work", async ({ ask }) => await Promise.all([ask("a"), ask("b"), ask("a")])),
  );
  const { engine, run } = await runs.live();
  expect((await engine.state("run")).waits.map(({ key }) => key)).toEqual(["work?1", "work?2", "work?3"]);
  for (const at of [3, 1, 2]) {
    await engine.signal("run", `work?${at}`, at);
    await quiet();
  }
  expect(await run.ended).toMatchObject({ result: { value: [1, 2, 3] } });
});

describe("a question ends with its attempt:", () => {
  test("released, it asks nothing more, and the step learns why", async () => {
    const reasons: unknown[] = [];
    const runs = new InMemory(
      async (ctx) =>
        await ctx.step("work", async ({ ask }) => {
          try {
            return await ask(question);
          } catch (error) {
            reasons.push(error);
            throw error;
          }
        }),
    );
    const { engine, run } = await runs.live();
    await run.release();
    expect(reasons).toEqual([new StepAbortedError("released")]);
    const state = await engine.state("run");
    expect(state.waits).toEqual([]);
    expect(state.calls.get("work?1")).toMatchObject({ kind: "wait", phase: "closed" });
  });

  test("a step that returns without the answer", async () => {
    const runs = new InMemory(async (ctx) => {
      const first = await ctx.step("work", ({ ask }) => {
        void ask(question);
        return "done anyway";
      });
      const answer = await ctx.wait("next");
      return [first, answer.ok];
    });
    const { engine, run } = await runs.live();
    expect((await engine.state("run")).waits.map(({ key }) => key)).toEqual(["next"]);
    await engine.signal("run", "work?1", "too late");
    await engine.signal("run", "next", null);
    expect(await run.ended).toMatchObject({ result: { value: ["done anyway", true] } });
  });

  test("a branch that is no longer needed", async () => {
    const runs = new InMemory(async (ctx) => {
      const fast = deferred();
      const winner = await ctx.fork(
        "race",
        [
          async (own) =>
            await own.step("slow", ({ ask }) => {
              fast.resolve();
              return ask(question);
            }),
          async (own) => await own.step("fast", () => fast.promise.then(() => 1)),
        ],
        "race",
      );
      const answer = await ctx.wait("next");
      return [...winner, answer.ok];
    });
    const { engine, run } = await runs.live();
    expect((await engine.state("run")).waits.map(({ key }) => key)).toEqual(["next"]);
    await engine.signal("run", "next", null);
    expect(await run.ended).toMatchObject({ result: { value: [1, 1, true] } });
  });

  test("an ended step cannot ask", async () => {
    let late: ((about: string) => Promise<unknown>) | undefined;
    const runs = new InMemory(async (ctx) => {
      await ctx.step("work", ({ ask }) => {
        late = ask;
        return null;
      });
      await ctx.wait("next");
      return null;
    });
    await runs.live();
    await expect(late!("still there?")).rejects.toThrow("The step has ended and can no longer ask questions.");
    expect(runs.types().filter((type) => type === "wait-started")).toHaveLength(1);
  });
});

describe("a later attempt", () => {
  test("asks the same under the same key, and gets the answer that came in between", async () => {
    const runs = asking();
    const first = await runs.live();
    first.store.crash();
    const { engine, run } = await runs.live();
    expect((await engine.state("run")).waits).toMatchObject([{ key: "work?1", about: question }]);
    await engine.signal("run", "work?1", "yes");
    expect(await run.ended).toMatchObject({ result: { value: "yes" } });
    const asked = runs.events().filter((event) => event.type === "wait-started");
    expect(asked.map((event) => event.key)).toEqual(["work?1", "work?1"]);
  });

  test("is not asked for what was answered before, also among equal questions", async () => {
    const seen: unknown[][] = [];
    const runs = new InMemory(async (ctx) => {
      return await ctx.step(
        "work",
        async ({ ask, attempt }) => {
          const answers = [await ask("same"), await ask("same"), await ask("other")];
          seen.push([attempt, ...answers]);
          if (attempt === 1) throw new Error("flaky");
          return answers;
        },
        { retries: 1, backoff: { ms: 0 } },
      );
    });
    const { engine, run } = await runs.live();
    for (const [at, answer] of ["one", "two", "three"].entries()) {
      await engine.signal("run", `work?${at + 1}`, answer);
      await quiet();
    }
    await runs.clock.runAll();
    expect(await run.ended).toMatchObject({ kind: "done" });
    expect(seen).toEqual([
      [1, "one", "two", "three"],
      [2, "one", "two", "three"],
    ]);
  });

  test("that asks something else asks under another key: no answer is taken for another question's", async () => {
    const runs = new InMemory(
      async (ctx) => await ctx.step("work", async ({ ask, attempt }) => await ask({ delete: `file ${attempt}` })),
    );
    const first = await runs.live();
    await first.engine.state("run");
    first.store.crash();
    const { engine, run } = await runs.live();
    expect((await engine.state("run")).waits).toMatchObject([{ key: "work?2", about: { delete: "file 2" } }]);
    await engine.signal("run", "work?1", "yes");
    await quiet();
    expect((await engine.status("run")).kind).toBe("waiting");
    await engine.signal("run", "work?2", "no");
    expect(await run.ended).toMatchObject({ result: { value: "no" } });
  });

  test("after the run has failed and was taken up again asks anew: the answer may be why it failed", async () => {
    const runs = new InMemory(async (ctx) => {
      return await ctx.step("work", async ({ ask }) => {
        if ((await ask(question)) === "deny") throw new PermanentError("denied");
        return "allowed";
      });
    });
    const { engine, run } = await runs.live();
    await engine.signal("run", "work?1", "deny");
    expect(await run.ended).toMatchObject({ kind: "failed", error: { message: "denied" } });
    await engine.reopen("run");
    const again = await runs.live();
    expect((await again.engine.state("run")).waits).toMatchObject([{ key: "work?2", about: question }]);
    await again.engine.signal("run", "work?2", "allow");
    expect(await again.run.ended).toMatchObject({ kind: "done", result: { value: "allowed" } });
  });
});

test("a process that ends while a step waits for a person does not count as that step's crash", async () => {
  const runs = asking({ maxCrashes: 2 });
  for (let life = 0; life < 5; life++) await runs.live();
  const { engine, run } = await runs.live();
  await engine.signal("run", "work?1", "at last");
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: "at last" } });
});

test("answers are not kept in memory once the step has ended", async () => {
  const runs = new InMemory(async (ctx) => {
    for (let turn = 1; turn <= 3; turn++) await ctx.step(`L#${turn}`, ({ ask }) => ask({ turn }));
    await ctx.wait("end");
    return null;
  });
  const { engine, run } = await runs.live();
  for (let turn = 1; turn <= 3; turn++) {
    await engine.signal("run", `L#${turn}?1`, "yes");
    await quiet();
  }
  const { state } = run as unknown as { state: { calls: Map<string, unknown>; signals: Map<string, unknown> } };
  expect([...state.calls.keys()]).toEqual(["end"]);
  expect(state.signals.size).toBe(0);
});

test("a local step cannot ask, and says so", async () => {
  const { run } = await asking({}, { local: true }).live();
  expect(await run.ended).toMatchObject({ kind: "failed", error: { code: "local", key: "work" } });
});

test("a question that is too long for a record, or not JSON, is refused", async () => {
  for (const about of ["x".repeat(20_000), { f: 1n } as never]) {
    const runs = new InMemory(async (ctx) => await ctx.step("work", ({ ask }) => ask(about)));
    const { error } = (await (await runs.live()).run.ended) as unknown as { error: { code: string } };
    expect(["question-too-large", "not-json"]).toContain(error.code);
  }
});

test("a call with a question's key is refused", async () => {
  const runs = new InMemory(async (ctx) => {
    await ctx.step("work", ({ ask }) => ask(question));
    return await ctx.step("work?1", () => 1);
  });
  const { engine, run } = await runs.live();
  await engine.signal("run", "work?1", "yes");
  await expect(run.ended).rejects.toMatchObject({ code: "key-repeated" });
  await expect((await runs.live()).run.ended).rejects.toMatchObject({ code: "key-repeated" });
});
