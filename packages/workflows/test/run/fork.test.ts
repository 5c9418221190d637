import { describe, expect, test } from "bun:test";
import { quiet } from "@atomic/testing/simulation/clock";
import { deferred } from "@atomic/testing/waiting";
import type { BranchEnding, Join } from "../../src/run/events.ts";
import { decide, decideNext } from "../../src/run/execution/call-fork.ts";
import type { Branch } from "../../src/run/run-ctx.ts";
import { InMemory } from "./in-memory.ts";

const ok: BranchEnding = { ok: true, result: { value: 1 } };
const bad: BranchEnding = { ok: false, error: { name: "Error", message: "bad", key: "k" } };
const error = { name: "Error", message: "bad", key: "k" };

describe("joins", () => {
  test.each<[Join, (BranchEnding | undefined)[], number | undefined, object | undefined]>([
    ["all", [], undefined, { ok: true }],
    ["all", [ok, undefined], 0, undefined],
    ["all", [ok, ok], 1, { ok: true }],
    ["all", [undefined, bad], 1, { ok: false, error }],
    ["all", [bad, undefined], undefined, { ok: false, error }],
    ["settled", [], undefined, { ok: true }],
    ["settled", [bad, undefined], 0, undefined],
    ["settled", [bad, ok], 1, { ok: true }],
    ["any", [bad, undefined], 0, undefined],
    ["any", [bad, ok], 1, { ok: true, winner: 1 }],
    ["any", [ok, undefined], undefined, { ok: true, winner: 0 }],
    ["race", [undefined, bad], 1, { ok: false, error }],
    ["race", [undefined, ok], 1, { ok: true, winner: 1 }],
    ["race", [undefined, undefined], undefined, undefined],
  ])("%s of %j after %p", (join, endings, last, expected) => {
    const missing = endings.filter((ending) => ending === undefined).length;
    const decided = last === undefined ? decide(join, endings) : decideNext(join, endings, last, missing);
    expect(decided).toEqual(expected as never);
  });

  test("any fails when every branch has failed, with every reason", () => {
    const other: BranchEnding = { ok: false, error: { name: "Error", message: "worse" } };
    expect(decideNext("any", [bad, other], 1, 0)).toEqual({
      ok: false,
      error: { name: "Error", message: "every branch failed: bad; worse", code: "all-failed", key: "k" },
    });
  });

  test.each<Join>(["any", "race"])("%s of no branches fails instead of waiting for ever", (join) => {
    expect(decide(join, [])).toMatchObject({ ok: false, error: { code: "no-branches" } });
  });
});

/** A branch that ends when the test says so, and reports if it was aborted. */
function controlledBranch(key: string, ends: Promise<string>, aborted: string[] = []): Branch {
  return (ctx) =>
    ctx.step(key, async ({ signal }) => {
      signal.addEventListener("abort", () => aborted.push(`${key}: ${(signal.reason as { why: string }).why}`));
      const end = await ends;
      if (end === "fail") throw new Error(`${key} failed`);
      return end;
    });
}

const never = new Promise<string>(() => undefined);

test("any takes the first that succeeds, aborts the others, and stays with it after a crash", async () => {
  const aborted: string[] = [];
  const gate = deferred();
  const runs = new InMemory(async (ctx) => {
    const branches = [
      controlledBranch("slow", never, aborted),
      controlledBranch("bad", Promise.resolve("fail"), aborted),
      controlledBranch(
        "quick",
        gate.promise.then(() => "won"),
        aborted,
      ),
    ];
    const value = await ctx.fork("race", branches, "any");
    await ctx.wait("later");
    return value;
  });
  await runs.live();
  expect(runs.types()).not.toContain("fork-ended");
  gate.resolve();
  await quiet();
  expect(aborted).toEqual(["slow: abandoned"]);
  const { engine, run } = await runs.live();
  expect((await engine.state("run")).calls.get("slow")).toMatchObject({ phase: { kind: "abandoned" } });
  await engine.signal("run", "later", null);
  expect(await run.ended).toMatchObject({ result: { value: ["won", 2] } });
});

test("race takes the first that ends, even if it failed", async () => {
  const runs = new InMemory(
    async (ctx) =>
      await ctx.fork(
        "race",
        [controlledBranch("slow", never), controlledBranch("bad", Promise.resolve("fail"))],
        "race",
      ),
  );
  expect(await (await runs.live()).run.ended).toMatchObject({
    kind: "failed",
    error: { message: "bad failed", key: "bad" },
  });
});

test("settled waits for all and reports how each ended", async () => {
  const runs = new InMemory(
    async (ctx) =>
      await ctx.fork(
        "both",
        [controlledBranch("good", Promise.resolve("yes")), controlledBranch("bad", Promise.resolve("fail"))],
        "settled",
      ),
  );
  expect(await (await runs.live()).run.ended).toMatchObject({
    result: {
      value: [
        { ok: true, value: "yes" },
        { ok: false, error: { message: "bad failed", key: "bad" } },
      ],
    },
  });
});

test("the first failure of all aborts the other branches, and nothing more of them is journaled", async () => {
  const aborted: string[] = [];
  const late = deferred();
  const runs = new InMemory(async (ctx) => {
    const slow: Branch = async (own) => {
      await controlledBranch(
        "slow",
        late.promise.then(() => "late"),
        aborted,
      )(own);
      return await own.step("after", () => "never");
    };
    try {
      return await ctx.fork("fan", [slow, controlledBranch("bad", Promise.resolve("fail"))], "all");
    } catch (thrown) {
      late.resolve();
      return await ctx.step("handler", () => (thrown as Error).message);
    }
  });
  expect(await (await runs.live()).run.ended).toMatchObject({ result: { value: "fan failed: bad failed" } });
  expect(aborted).toEqual(["slow: abandoned"]);
  const keys = runs.events().flatMap((event) => (event.type === "step-finished" ? [event.key] : []));
  expect(keys).toEqual(["handler"]);
});

test("a limit sets how many branches run at a time, in order", async () => {
  const begun: number[] = [];
  const gates = [0, 1, 2, 3].map(() => deferred());
  const runs = new InMemory(async (ctx) => {
    const branches = gates.map(
      (gate, index): Branch =>
        (own) =>
          own.step(`b${index}`, async () => {
            begun.push(index);
            await gate.promise;
            return index;
          }),
    );
    return await ctx.fork("fan", branches, "all", { limit: 2 });
  });
  const { run } = await runs.live();
  expect(begun).toEqual([0, 1]);
  gates[1]!.resolve();
  await quiet();
  expect(begun).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  expect(await run.ended).toMatchObject({ result: { value: [0, 1, 2, 3] } });
});

test("a hundred branches wide", async () => {
  const runs = new InMemory(async (ctx) => {
    const branches = Array.from(
      { length: 100 },
      (_, index): Branch =>
        (own) =>
          own.step(`b${index}`, () => index),
    );
    return await ctx.fork("wide", branches, "all");
  });
  expect(await (await runs.live()).run.ended).toMatchObject({
    result: { value: Array.from({ length: 100 }, (_, i) => i) },
  });
});

test("forks within forks resume where each of their branches was", async () => {
  const begun: string[] = [];
  const program = (hold: boolean) => async (ctx: Parameters<Branch>[0]) => {
    const leaf =
      (key: string): Branch =>
      async (own) => {
        const first = await own.step(`${key}/1`, () => {
          begun.push(`${key}/1`);
          return key;
        });
        return await own.step(`${key}/2`, () => {
          begun.push(`${key}/2`);
          return hold && key !== "0.1" ? new Promise<string>(() => undefined) : `${first}!`;
        });
      };
    const branch =
      (outer: number): Branch =>
      (own) =>
        own.fork(`in${outer}`, [leaf(`${outer}.0`), leaf(`${outer}.1`)], "all");
    return await ctx.fork("out", [branch(0), branch(1)], "all");
  };
  const runs = new InMemory(program(true));
  await runs.live();
  const { run } = await runs.live(program(false));
  expect(await run.ended).toMatchObject({
    result: {
      value: [
        ["0.0!", "0.1!"],
        ["1.0!", "1.1!"],
      ],
    },
  });
  expect(begun.filter((key) => key.endsWith("/1"))).toHaveLength(4);
  expect(begun.filter((key) => key === "0.1/2")).toHaveLength(1);
  expect(begun.filter((key) => key === "1.0/2")).toHaveLength(2);
});
