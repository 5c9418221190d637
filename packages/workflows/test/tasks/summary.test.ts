import { expect, test } from "bun:test";
import { memoryEngine } from "../../src/run/memory/memory-engine.ts";
import { liveRuns } from "../../src/tasks/claim.ts";
import { summarizeTasks } from "../../src/tasks/summary.ts";
import { task } from "./tasks.ts";

const ids = (tasks: readonly { readonly id: string }[]): string => tasks.map(({ id }) => id).join();

test("a summary shows what is next, in progress, failing, waiting and blocked", () => {
  const tasks = [
    task("done", { status: "passing" }),
    task("late"),
    task("soon", { priority: 1, dependencies: ["done"] }),
    task("live", { status: "in_progress", claimedBy: "r2/L#1:pick" }),
    task("stale", { status: "in_progress", claimedBy: "r0/L#1:pick" }),
    task("bad", { status: "failing", claimedBy: "r0/L#2:pick", attempts: 2, error: "tests fail" }),
    task("held", { dependencies: ["bad"] }),
    task("then", { dependencies: ["live"] }),
    task("out", { status: "skipped" }),
  ];
  const summary = summarizeTasks(tasks, { isLive: (run) => run === "r2" });
  expect(summary).toMatchObject({
    total: 9,
    counts: { pending: 4, in_progress: 2, passing: 1, failing: 1, skipped: 1 },
    complete: false,
    problems: [],
  });
  expect(ids(summary.next)).toBe("soon,late,stale");
  expect(ids(summary.stale)).toBe("stale");
  expect(ids(summary.failing)).toBe("bad");
  expect(summary.inProgress.map(({ task: { id }, run }) => `${id} ${run}`)).toEqual(["live r2"]);
  expect(summary.waiting.map((each) => [each.task.id, ...each.for])).toEqual([["then", "live"]]);
  expect(summary.blocked.map((each) => [each.task.id, ...each.by])).toEqual([["held", "bad"]]);
});

test("it is complete only when every task passes", () => {
  const isLive = (): boolean => false;
  expect(summarizeTasks([task("a", { status: "passing" })], { isLive }).complete).toBe(true);
  expect(summarizeTasks([task("a", { status: "in_progress" })], { isLive }).complete).toBe(false);
  expect(summarizeTasks([], { isLive }).complete).toBe(false);
});

test("a run that is running or waiting is alive; one that ended or is unknown is not", async () => {
  const engine = memoryEngine({
    interpret: async (ctx) => {
      await ctx.wait("go");
      return null;
    },
  });
  const isLive = liveRuns(() => engine);
  await engine.start({ runId: "r1", graph: null, input: null });
  expect(await isLive("r1")).toBe(false);
  const run = await engine.run("r1");
  for await (const event of run) if (event.type === "wait-started") break;
  expect(await isLive("r1")).toBe(true);
  await engine.signal("r1", "go", null);
  await run.ended;
  expect(await isLive("r1")).toBe(false);
  expect(await isLive("r2")).toBe(false);
});
