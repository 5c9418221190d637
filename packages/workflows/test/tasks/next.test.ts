import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BadSelectionError, type NextOptions, nextTasks } from "../../src/tasks/next.ts";
import { markPicked, settle } from "../../src/tasks/pick.ts";
import type { Task } from "../../src/tasks/task.ts";
import { task } from "./tasks.ts";

const by = "r1/L#5:pick";

/** `run a, b`, or why not. */
function next(tasks: readonly Task[], options: Partial<NextOptions> = {}): string {
  const did = nextTasks(tasks, { by, maxAttempts: 1, limit: 1, isLive: () => false, ...options });
  if (did.do === "run") return `run ${did.picks.map((pick) => pick.task.id).join(", ")}`;
  return `${did.complete ? "complete" : "stop"}: ${did.reason}`;
}

const passing = { status: "passing" } as const;
const failing = (more: Partial<Task> = {}): Partial<Task> => ({
  status: "failing",
  claimedBy: "r1/L#4:pick",
  attempts: 1,
  ...more,
});

describe("what comes next:", () => {
  const all = { limit: 9 };
  test.each<[string, readonly Task[], Partial<NextOptions>, string]>([
    ["the first, if none is more urgent", [task("a"), task("b")], {}, "run a"],
    [
      "the lowest priority, none at all last",
      [task("x"), task("c", { priority: 3 }), task("a", { priority: -1 }), task("b", { priority: 3 })],
      all,
      "run a, c, b, x",
    ],
    [
      "only what has its dependencies passing",
      [task("b", { dependencies: ["a"] }), task("a"), task("c", { dependencies: ["d"] }), task("d", passing)],
      all,
      "run a, c",
    ],
    ["as many as may run at a time", [task("a"), task("b"), task("c")], { limit: 2 }, "run a, b"],
    ["what failed, as long as there are attempts", [task("a", failing())], { maxAttempts: 2 }, "run a"],
    [
      "nothing, if the attempts are used up",
      [task("a", failing({ error: "tests fail\nin 3 files" }))],
      {},
      "stop: 1 task failing: a (tests fail)",
    ],
    ["what failed in a run that is over", [task("a", failing({ claimedBy: "r0/L#9:pick", attempts: 7 }))], {}, "run a"],
    [
      "nothing that another living run has given up",
      [task("a", failing({ claimedBy: "r0/L#9:pick" }))],
      { isLive: () => true },
      "stop: 1 task failing: a",
    ],
    ["what the user set to failing by hand", [task("a", { status: "failing" })], {}, "run a"],
    ["the end, if all are passing", [task("a", passing), task("b", passing)], {}, "complete: 2 tasks passing"],
    [
      "the end, if the others are skipped",
      [task("a", passing), task("b", { status: "skipped" })],
      {},
      "complete: 1 task passing, 1 skipped",
    ],
    [
      "no end worth the name, if all are skipped",
      [task("a", { status: "skipped" })],
      {},
      "stop: 1 task skipped, none left to do",
    ],
    ["nor if there are none", [], {}, "stop: the file has no tasks"],
    [
      "nothing that a failing task blocks, however far away",
      [
        task("a", failing()),
        task("b", { dependencies: ["a"] }),
        task("c", { dependencies: ["b"] }),
        task("d", passing),
      ],
      {},
      "stop: 1 task failing: a; 2 blocked by them: b, c",
    ],
    [
      "nothing that a skipped task blocks",
      [task("a", { status: "skipped" }), task("b", { dependencies: ["a"] })],
      {},
      "stop: 1 task blocked by skipped ones: b",
    ],
    ["what a crash left in progress, as there is no claim", [task("a", { status: "in_progress" })], {}, "run a"],
    [
      "what a run that is over left in progress",
      [task("a", { status: "in_progress", claimedBy: "r0/L#1:pick" })],
      {},
      "run a",
    ],
    [
      "what this loop left in progress, after an older file was restored",
      [task("a", { status: "in_progress", claimedBy: "r1/L#2:pick", attempts: 1 })],
      {},
      "run a",
    ],
    [
      "nothing of another living run",
      [task("a", { status: "in_progress", claimedBy: "r2/L#1:pick" }), task("b", { dependencies: ["a"] })],
      { isLive: (run) => run === "r2" },
      "stop: 1 task in progress in the run r2: a; 1 waiting for others: b",
    ],
    [
      "nothing of a loop beside this one",
      [task("a", { status: "in_progress", claimedBy: "r1/fan.0/L#1:pick" })],
      { by: "r1/fan.1/L#1:pick" },
      "stop: 1 task in progress in the run r1: a",
    ],
    [
      "what a turn of the loop around left behind",
      [task("a", { status: "in_progress", claimedBy: "r1/O#1/L#7:pick" })],
      { by: "r1/O#2/L#1:pick" },
      "run a",
    ],
    [
      "the same as before the crash",
      [
        task("z", { priority: 1 }),
        task("a", { status: "in_progress", claimedBy: by }),
        task("b", { status: "in_progress", claimedBy: by }),
      ],
      {},
      "run a, b",
    ],
    ["what is selected", [task("a"), task("b")], { select: (ready) => ready.at(-1) }, "run b"],
    [
      "what is selected, one after the other",
      [task("a"), task("b"), task("c")],
      { limit: 2, select: (ready) => ready.at(-1) },
      "run c, b",
    ],
    ["nothing, if nothing is selected", [task("a")], { select: () => undefined }, "stop: no ready task was selected"],
  ])("%s", (_name, tasks, options, expected) => {
    expect(next(tasks, options)).toBe(expected);
  });

  test("never a task that a selector makes up", () => {
    expect(() => next([task("a"), task("b", { dependencies: ["a"] })], { select: () => task("b") })).toThrow(
      BadSelectionError,
    );
  });

  test("names of many tasks are cut short", () => {
    const many = Array.from({ length: 11 }, (_, at) => task(`t${at}`, failing()));
    expect(next(many)).toBe("stop: 11 tasks failing: t0, t1, t2, t3, t4, t5, t6, t7 and 3 more");
  });
});

test("attempts are counted within a run, and start over in another", () => {
  const attemptOf = (more: Partial<Task>, isLive = false): number | undefined => {
    const did = nextTasks([task("a", more)], { by, maxAttempts: 9, limit: 1, isLive: () => isLive });
    return did.do === "run" ? did.picks[0]?.attempt : undefined;
  };
  expect(attemptOf({})).toBe(1);
  expect(attemptOf(failing({ attempts: 3 }))).toBe(4);
  expect(attemptOf(failing({ attempts: 3, claimedBy: "r0/L#1:pick" }))).toBe(1);
  expect(attemptOf(failing({ attempts: 3, claimedBy: "r0/L#1:pick" }), true)).toBe(4);
  expect(attemptOf({ status: "in_progress", claimedBy: "r1/L#1:pick", attempts: 2 })).toBe(3);
});

/** A task with its dependencies among those before it, and whether each of its attempts will work out. */
const dag = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.tuple(
    ...Array.from({ length: size }, (_, at) =>
      fc.record({
        needs: at === 0 ? fc.constant<number[]>([]) : fc.uniqueArray(fc.nat({ max: at - 1 }), { maxLength: 3 }),
        priority: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
        // Each attempt's outcome; after the last one it always works out.
        fails: fc.nat({ max: 3 }),
        skipped: fc.boolean().map((skip) => skip && at % 5 === 4),
      }),
    ),
  ),
);

function fieldsOf(tasks: readonly Task[], edits: ReturnType<typeof settle>["edits"]): Task[] {
  const copy = structuredClone(tasks) as unknown as Record<string, unknown>[];
  for (const edit of edits) {
    const [, at, key] = edit.path as [string, number, string];
    const entry = copy[at] as Record<string, unknown>;
    if (edit.op === "remove") delete entry[key];
    else entry[key] = edit.value;
  }
  return copy as unknown as Task[];
}

test("tasks with any dependencies and outcomes end for the right reason, each after what it needs", () => {
  fc.assert(
    fc.property(dag, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 }), (plan, limit, maxAttempts) => {
      let tasks: Task[] = plan.map(({ needs, priority, skipped }, at) =>
        task(`t${at}`, {
          dependencies: needs.map((need) => `t${need}`),
          ...(priority !== undefined && { priority }),
          ...(skipped && { status: "skipped" }),
        }),
      );
      const tries = plan.map(() => 0);
      for (let iteration = 1; ; iteration++) {
        expect(iteration).toBeLessThanOrEqual(plan.length * maxAttempts + 1);
        const key = `r1/L#${iteration}:pick`;
        const did = nextTasks(tasks, { by: key, maxAttempts, limit, isLive: () => false });
        if (did.do === "stop") {
          const expected = expectedEnd(plan, maxAttempts);
          expect(tasks.map(({ status }): string => status)).toEqual(expected);
          const done = expected.every((status) => status === "passing" || status === "skipped");
          expect(did.complete).toBe(done && expected.includes("passing"));
          if (expected.includes("failing")) expect(did.reason).toContain("failing");
          return;
        }
        expect(did.picks.length).toBeLessThanOrEqual(limit);
        for (const { task: picked, attempt } of did.picks) {
          const at = tasks.findIndex(({ id }) => id === picked.id);
          for (const need of plan[at]?.needs ?? []) expect(tasks[need]?.status).toBe("passing");
          tries[at] = (tries[at] ?? 0) + 1;
          expect(attempt).toBe(tries[at] as number);
          tasks = fieldsOf(tasks, markPicked(picked, at, { by: key, attempt: attempt as number }).edits);
          const ok = (tries[at] as number) > (plan[at]?.fails ?? 0);
          const outcome = ok ? ({ ok } as const) : ({ ok, error: { name: "Error", message: "no" } } as const);
          tasks = fieldsOf(tasks, settle(tasks, { id: picked.id, by: key }, outcome).edits);
        }
      }
    }),
    { numRuns: 300, seed: 11 },
  );
});

/** Worked out the other way round: from what each task needs. */
function expectedEnd(
  plan: readonly { needs: readonly number[]; fails: number; skipped: boolean }[],
  maxAttempts: number,
): string[] {
  const ends: string[] = [];
  for (const { needs, fails, skipped } of plan) {
    if (skipped) ends.push("skipped");
    else if (!needs.every((need) => ends[need] === "passing")) ends.push("pending");
    else ends.push(fails < maxAttempts ? "passing" : "failing");
  }
  return ends;
}

test("whatever the statuses are, it is complete only if all that are not skipped are passing", () => {
  const status = fc.constantFrom("pending", "in_progress", "passing", "failing", "skipped");
  const claimedBy = fc.constantFrom(undefined, by, "r1/L#1:pick", "r2/L#1:pick");
  const any = fc.array(fc.record({ status, claimedBy, attempts: fc.nat({ max: 3 }), needsLast: fc.boolean() }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(any, fc.boolean(), (drawn, live) => {
      const tasks = drawn.map(({ needsLast, claimedBy: claim, ...fields }, at) =>
        task(`t${at}`, {
          ...fields,
          ...(claim !== undefined && { claimedBy: claim }),
          ...(needsLast && at > 0 && { dependencies: [`t${at - 1}`] }),
        } as Partial<Task>),
      );
      const did = nextTasks(tasks, { by, maxAttempts: 2, limit: 1, isLive: () => live });
      const isDone =
        tasks.some((each) => each.status === "passing") &&
        tasks.every((each) => each.status === "passing" || each.status === "skipped");
      expect(did.do === "stop" && did.complete).toBe(isDone);
      if (did.do === "stop") expect(did.reason).not.toBe("");
    }),
    { numRuns: 500, seed: 12 },
  );
});
