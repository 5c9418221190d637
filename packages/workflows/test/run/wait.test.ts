import { expect, test } from "bun:test";
import { quiet } from "@atomic/testing/simulation/clock";
import { memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";
import { InMemory } from "./in-memory.ts";

const day = 24 * 3600_000;
const year = 365 * day;

const sleeper = (ms: number): InMemory =>
  new InMemory(async (ctx) => {
    await ctx.sleep("nap", ms);
    return "awake";
  });

test("a sleep lasts as long as was asked for, even across a crash", async () => {
  const runs = sleeper(10_000);
  await runs.live();
  await runs.clock.advance(4000);
  const { run, engine } = await runs.live();
  await runs.clock.advance(5999);
  expect(await engine.status("run")).toMatchObject({ kind: "waiting", for: [{ kind: "date", key: "nap" }] });
  await runs.clock.advance(1);
  expect(await run.ended).toMatchObject({ kind: "done" });
});

test("a sleep that ended while no process was running ends at once", async () => {
  const runs = sleeper(10_000);
  await runs.live();
  runs.clock.jump(day);
  const { run } = await runs.live();
  await runs.clock.advance(0);
  expect(await run.ended).toMatchObject({ kind: "done" });
});

test("a sleep may be longer than the system's longest timer", async () => {
  const runs = sleeper(90 * day);
  const { run, engine } = await runs.live();
  await runs.clock.advance(90 * day - 1);
  expect((await engine.status("run")).kind).toBe("waiting");
  await runs.clock.advance(1);
  expect(await run.ended).toMatchObject({ kind: "done" });
});

test.each([year, -year])("a clock that jumps by %d ms neither ends a sleep early nor makes it longer", async (jump) => {
  const runs = sleeper(10_000);
  const { run, engine } = await runs.live();
  await runs.clock.advance(5000);
  runs.clock.jump(jump);
  await runs.clock.advance(4999);
  expect((await engine.status("run")).kind).toBe("waiting");
  await runs.clock.advance(1);
  expect(await run.ended).toMatchObject({ kind: "done" });
});

test("after the clock was set back, a resumed sleep takes no longer than first asked for", async () => {
  const runs = sleeper(10_000);
  await runs.live();
  runs.clock.jump(-year);
  const { run } = await runs.live();
  await runs.clock.advance(10_000);
  expect(await run.ended).toMatchObject({ kind: "done" });
});

const approval = (timeoutMs?: number): InMemory =>
  new InMemory(async (ctx) => {
    const answer = await ctx.wait("approve", {
      about: { question: "Ship it?" },
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    return answer.ok ? answer.value : "nobody";
  });

test("the state shows what is asked, and until when", async () => {
  const runs = approval(60_000);
  const { engine } = await runs.live();
  expect(await engine.status("run")).toMatchObject({
    kind: "waiting",
    for: [{ kind: "signal", key: "approve", about: { question: "Ship it?" }, until: runs.clock.now() + 60_000 }],
  });
});

test("a wait keeps its deadline across a crash", async () => {
  const runs = approval(60_000);
  await runs.live();
  await runs.clock.advance(50_000);
  const { run } = await runs.live();
  await runs.clock.advance(10_000);
  expect(await run.ended).toMatchObject({ result: { value: "nobody" } });
  expect(await (await runs.live()).run.ended).toMatchObject({ result: { value: "nobody" } });
});

test("a signal that arrived in time counts, even if the deadline has passed since", async () => {
  const runs = approval(60_000);
  const first = await runs.live();
  first.store.crash();
  const client = memoryEngine({ interpret: async () => null, clock: runs.clock }, memoryStore(runs.disk));
  await client.signal("run", "approve", "yes");
  expect((await client.state("run")).signals.get("approve")).toBe("yes");
  runs.clock.jump(year);
  expect(await (await runs.live()).run.ended).toMatchObject({ result: { value: "yes" } });
});

test("a signal wakes only the wait of its key", async () => {
  const runs = new InMemory(async (ctx) => {
    return await ctx.fork(
      "both",
      ["a", "b"].map((key) => async (own) => {
        const answer = await own.wait(key);
        return answer.ok ? answer.value : null;
      }),
      "all",
    );
  });
  const { engine, run } = await runs.live();
  await engine.signal("run", "b", 2);
  await quiet();
  expect(await engine.status("run")).toMatchObject({ kind: "waiting", for: [{ key: "a" }] });
  await engine.signal("run", "a", 1);
  expect(await run.ended).toMatchObject({ result: { value: [1, 2] } });
});

test("a signal that is too long, or not JSON, is refused", async () => {
  const { engine } = await approval().live();
  await expect(engine.signal("run", "approve", "x".repeat(1_400_000))).rejects.toMatchObject({
    code: "bad-request",
    message: 'The answer to "approve" is longer than 1 MB',
    hint: expect.stringContaining("file"),
  });
  await expect(engine.signal("run", "approve", undefined as never)).rejects.toMatchObject({ code: "bad-request" });
});

test("an answer that was sent after the deadline, while no process worked on the run, does not count", async () => {
  const runs = approval(60_000);
  (await runs.live()).store.crash();
  runs.clock.jump(60_001);
  const client = memoryEngine({ interpret: async () => null, clock: runs.clock }, memoryStore(runs.disk));
  await client.signal("run", "approve", "yes");
  expect(await (await runs.live()).run.ended).toMatchObject({ result: { value: "nobody" } });
  expect(await (await runs.live()).run.ended).toMatchObject({ result: { value: "nobody" } });
});

test.each([year, -year])(
  "an answer to a process at work counts, although the clock has jumped by %d ms",
  async (jump) => {
    const runs = approval(60_000);
    const { engine, run } = await runs.live();
    await runs.clock.advance(30_000);
    runs.clock.jump(jump);
    await engine.signal("run", "approve", "yes");
    expect(await run.ended).toMatchObject({ result: { value: "yes" } });
  },
);

test.each<[string, (ctx: RunCtx) => Promise<unknown>, object | undefined]>([
  ["an answer", (ctx) => ctx.wait("ask"), {}],
  ["an answer or a date", (ctx) => ctx.wait("ask", { timeoutMs: 500 }), { until: 500 }],
  ["a date", (ctx) => ctx.sleep("nap", 700), { until: 700 }],
  ["an answer to a step", (ctx) => ctx.step("tool", (info) => info.ask("Sure?")), {}],
  ["nothing", (ctx) => ctx.step("work", ({ signal }) => stopped(signal)), undefined],
])("a run that is released while it waits for %s says so", async (_what, wait, rests) => {
  const runs = new InMemory(async (ctx) => {
    await wait(ctx);
    return null;
  });
  const { run } = await runs.live();
  const began = runs.clock.now();
  await run.release();
  const last = runs.events().at(-1) as { rests?: { until?: number } };
  const { until } = last.rests ?? {};
  expect(last.rests && { ...last.rests, ...(until !== undefined && { until: until - began }) }).toEqual(rests);
});

async function stopped(signal: AbortSignal): Promise<null> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  throw signal.reason;
}
