// Invalid numbers: a run that accepts one waits forever or not at all, and its journal has `null` instead.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { delayAfter } from "../../src/run/execution/call-step.ts";
import type { RunCtx, StepOptions } from "../../src/run/run-ctx.ts";
import { bothEngines, endOf } from "./both-engines.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("odd-");
});
afterAll(() => folder[Symbol.asyncDispose]());

const infinity = Number.POSITIVE_INFINITY;
const branches = [async () => 1, async () => 2];
const step = (options: StepOptions) => async (ctx: RunCtx) => await ctx.step("a", () => "done", options);
const fork = (limit: number) => async (ctx: RunCtx) => await ctx.fork("a", branches, "all", { limit });
const sleep = (ms: number) => async (ctx: RunCtx) => {
  await ctx.sleep("a", ms);
  return "done";
};
const wait = (timeoutMs: number) => async (ctx: RunCtx) => (await ctx.wait("a", { timeoutMs })).ok;

const refused: [string, (ctx: RunCtx) => Promise<unknown>, string][] = [
  ["retries NaN", step({ retries: Number.NaN }), '"retries" in "a" is NaN'],
  ["retries -1", step({ retries: -1 }), '"retries" in "a" is -1'],
  ["retries of text", step({ retries: "3" as never }), '"retries" in "a" is "3"'],
  ["timeoutMs NaN", step({ timeoutMs: Number.NaN }), '"timeoutMs" in "a" is NaN'],
  ["idleMs -5", step({ idleMs: -5 }), '"idleMs" in "a" is -5'],
  ["a backoff of NaN", step({ backoff: { ms: Number.NaN } }), '"backoff.ms" in "a" is NaN'],
  ["a factor of NaN", step({ backoff: { factor: Number.NaN } }), '"backoff.factor" in "a" is NaN'],
  ["a longest backoff of NaN", step({ backoff: { maxMs: Number.NaN } }), '"backoff.maxMs" in "a" is NaN'],
  ["a budget of NaN", step({ budget: { usd: Number.NaN } }), 'The budget limit "usd" is NaN'],
  ["a budget of other things", step({ budget: { euros: 3 } as never }), 'Unknown budget limit "euros"'],
  ["a limit of NaN", fork(Number.NaN), '"limit" in "a" is NaN'],
  ["a limit of 0", fork(0), '"limit" in "a" is 0'],
  ["a sleep of NaN", sleep(Number.NaN), '"ms" in "a" is NaN'],
  ["a sleep without an end", sleep(infinity), '"ms" in "a" is Infinity'],
  ["a wait of NaN", wait(Number.NaN), '"timeoutMs" in "a" is NaN'],
  ["a wait without an end", wait(infinity), '"timeoutMs" in "a" is Infinity'],
];

const taken: [string, (ctx: RunCtx) => Promise<unknown>, unknown][] = [
  ["retries without an end", step({ retries: infinity }), "done"],
  ["no timeout in numbers", step({ timeoutMs: infinity, idleMs: infinity }), "done"],
  ["a limit for all", fork(infinity), [1, 2]],
  ["a sleep until a date that has passed", sleep(-1000), "done"],
  ["a wait that is over", wait(-1), false],
  ["no retry, at once", step({ retries: 0, backoff: { ms: 0, factor: 0, maxMs: 0 } }), "done"],
];

describe.each(bothEngines)("%s,", (_engine, newPlace) => {
  test.each(refused)("%s is refused by name, before anything happens", async (_name, program, message) => {
    const engine = newPlace(folder.path)(program as never);
    const expected = { name: "RunError", code: "bad-request", message: expect.stringContaining(message) };
    expect(await endOf(engine)).toMatchObject({ kind: "failed", error: expected });
    const { calls } = await engine.state("run");
    expect([...calls.keys()]).toEqual([]);
  });

  test.each(taken)("%s is taken", async (_name, program, value) => {
    expect(await endOf(newPlace(folder.path)(program as never))).toMatchObject({ kind: "done", result: { value } });
  });
});

test("a delay that grows without end is still a valid date", () => {
  expect(delayAfter(5000, { ms: 1, factor: 10, maxMs: infinity })).toBe(365 * 24 * 3600_000);
  expect(delayAfter(5000, { ms: 0, factor: 10 })).toBe(0);
});
