// Who else writes to the tasks file while agents work: a person, the agents themselves, and other runs.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { TaskLoopJson } from "../../src/graph/graph-json.ts";
import type { LoopStop, TaskOutcome } from "../../src/graph/services.ts";
import type { LoopTask } from "../../src/graph/state.ts";
import type { Task } from "../../src/tasks/task.ts";
import { type TaskLoopDecisionsOptions, taskLoopDecisions } from "../../src/tasks/task-loop-decisions.ts";
import { info, loop, type TasksFolder, task, tasksFolder, tasksText } from "./tasks.ts";

setDefaultTimeout(180_000);

const ok: TaskOutcome = { ok: true };
const failed: TaskOutcome = { ok: false, error: { name: "Error", message: "tests fail" } };
const tasksPath = "research/tasks.json";

/** One loop of a run: the next pick with what was noted, and the end of what it picked. */
function runOn({ path }: TasksFolder, run: string, more: Partial<TaskLoopJson & TaskLoopDecisionsOptions> = {}) {
  const { isLive = () => false, waitMs = 1, ...config } = more;
  const decisions = taskLoopDecisions({ folder: path, isLive, waitMs });
  let iteration = 0;
  let picked: readonly LoopTask[] = [];
  const notes: string[] = [];
  const noting = (key: string, signal?: AbortSignal) => ({
    ...info(key),
    ...(signal && { signal }),
    note: (text: unknown) => void notes.push(String(text)),
  });
  return {
    notes,
    next: async (signal?: AbortSignal): Promise<string | LoopStop> => {
      iteration += 1;
      const request = { loop: loop(config), tasksPath, iteration, mayRun: true };
      const pick = await decisions.pick(request, noting(`${run}/L#${iteration}:pick`, signal));
      if (pick.do === "stop") return pick;
      picked = pick.tasks;
      return picked.map(({ id }) => id).join();
    },
    end: async (outcome: TaskOutcome, nth = 0): Promise<void> => {
      const settling = { loop: loop(config), tasksPath, task: picked[nth] as LoopTask, outcome };
      await decisions.settle(settling, noting(`${run}/L#${iteration}:settle`));
    },
  };
}

async function edit(folder: TasksFolder, change: (task: Task) => Task | undefined): Promise<void> {
  await folder.write(tasksText(...(await folder.tasks()).flatMap((each) => change(each) ?? [])));
}

/** As an editor does that rewrites the whole file. */
const allPassing = ({ id, name }: Task): Task => ({ id, name, status: "passing" });
const passing =
  (...ids: readonly string[]) =>
  (each: Task): Task =>
    ids.includes(each.id) ? allPassing(each) : each;

describe("a task that failed", () => {
  test("is failing, although the agent wrote that it passes", async () => {
    await using folder = await tasksFolder(task("a"));
    const run = runOn(folder, "r1", { maxAttempts: 2 });
    for (const attempt of [1, 2]) {
      expect(await run.next()).toBe("a");
      await edit(folder, allPassing);
      await run.end(failed);
      expect(await folder.tasks()).toMatchObject([{ status: "failing", attempts: attempt, error: "tests fail" }]);
    }
    expect(await run.next()).toEqual({ do: "stop", reason: "1 task failing: a (tests fail)", complete: false });
  });

  test("but that another run has passed since stays passing", async () => {
    await using folder = await tasksFolder(task("a"));
    const [old, other] = [runOn(folder, "r1"), runOn(folder, "r2")];
    await old.next();
    await other.next();
    await other.end(ok);
    await old.end(failed);
    expect(await folder.statuses()).toBe("a passing");
  });
});

describe("a task that no agent worked on, but that was set to passing while an agent was working,", () => {
  test("is set back, and the next agent knows", async () => {
    await using folder = await tasksFolder(task("a"), task("b"), task("c"));
    const run = runOn(folder, "r1");
    expect(await run.next()).toBe("a");
    await edit(folder, passing("b", "c"));
    await run.end(ok);
    expect(await run.next()).toBe("b");
    expect(run.notes).toEqual([
      'research/tasks.json: "b" was set to passing while agents were working, but not by this loop; it was reset to pending.',
      'research/tasks.json: "c" was set to passing while agents were working, but not by this loop; it was reset to pending.',
    ]);
    const [, b, c] = await folder.tasks();
    expect([b?.error, c?.status]).toEqual([expect.stringContaining("it has not been checked"), "pending"]);
    // Agents mark their tasks themselves; the second one's claim is lost.
    await edit(folder, (each) => (each.id === "b" ? { ...each, status: "passing" } : each));
    await run.end(ok);
    expect(await run.next()).toBe("c");
    await edit(folder, ({ claimedBy, ...each }) => (each.id === "c" ? { ...each, status: "passing" } : { ...each }));
    await run.end(ok);
    expect(await run.next()).toEqual({ do: "stop", reason: "3 tasks passing", complete: true });
    for (const each of await folder.tasks()) expect(each).not.toHaveProperty("error");
  });

  test("counts if the loop accepts that, and its result says so", async () => {
    await using folder = await tasksFolder(task("a"), task("b"));
    const run = runOn(folder, "r1", { markedMeanwhile: "accept" });
    await run.next();
    await edit(folder, passing("b"));
    await run.end(ok);
    const reason =
      "2 tasks passing, including 1 that this loop did not work on and that were set to passing while agents were working: b";
    expect(await run.next()).toEqual({ do: "stop", reason, complete: true });
    expect(run.notes).toHaveLength(1);
    expect(await runOn(folder, "r2").next()).toEqual({ do: "stop", reason, complete: true });
  });

  test("is set back to failing if it was failing, and keeps its attempts", async () => {
    await using folder = await tasksFolder(task("a", { priority: 1 }), task("b", { dependencies: [] }));
    const run = runOn(folder, "r1");
    expect(await run.next()).toBe("a");
    await run.end(failed);
    expect(await run.next()).toBe("b");
    await edit(folder, passing("a"));
    await run.end(ok);
    const reason = expect.stringMatching(/^1 task failing: a /);
    expect(await run.next()).toEqual({ do: "stop", reason, complete: false });
    expect(await folder.tasks()).toMatchObject([{ status: "failing", attempts: 1, claimedBy: "r1/L#1:pick" }, {}]);
  });

  test("is left to its own agent, if one of several was working on it", async () => {
    await using folder = await tasksFolder(task("a"), task("b"));
    const run = runOn(folder, "r1", { limit: 2 });
    expect(await run.next()).toBe("a,b");
    await edit(folder, allPassing);
    await run.end(ok, 0);
    await run.end(failed, 1);
    expect(await folder.statuses()).toBe("a passing, b failing");
  });
});

test("what you mark while no agent is working counts", async () => {
  await using folder = await tasksFolder(task("a"), task("b"), task("c"));
  const first = runOn(folder, "r1");
  await first.next();
  await first.end(ok);
  await edit(folder, passing("b"));
  const second = runOn(folder, "r2");
  expect(await second.next()).toBe("c");
  await second.end(ok);
  expect(await second.next()).toEqual({ do: "stop", reason: "3 tasks passing", complete: true });
});

test("what another run has done in the meantime counts", async () => {
  await using folder = await tasksFolder(task("a"), task("b"));
  const isLive = () => true;
  const [one, other] = ["r1", "r2"].map((run) => runOn(folder, run, { isLive }));
  expect(await one?.next()).toBe("a");
  expect(await other?.next()).toBe("b");
  await other?.end(ok);
  await one?.end(ok);
  expect(await one?.next()).toEqual({ do: "stop", reason: "2 tasks passing", complete: true });
  expect([one?.notes, other?.notes]).toEqual([[], []]);
});

test("tasks that are skipped or removed in the meantime stay so, and are reported", async () => {
  await using folder = await tasksFolder(task("a"), task("b"), task("c"));
  const run = runOn(folder, "r1");
  await run.next();
  await edit(folder, (each) => (each.id === "c" ? undefined : each.id === "b" ? { ...each, status: "skipped" } : each));
  await run.end(ok);
  expect(await run.next()).toEqual({ do: "stop", reason: "1 task passing, 1 skipped", complete: true });
  expect(run.notes).toEqual([
    'research/tasks.json: "b" was set to skipped while agents were working.',
    'research/tasks.json: "c" was removed while agents were working.',
  ]);
});

test("an unreadable record of the file is ignored", async () => {
  await using folder = await tasksFolder(task("a"), task("b"));
  const run = runOn(folder, "r1");
  await run.next();
  const [name] = await Array.fromAsync(new Bun.Glob("seen-*.json").scan(`${folder.path}/.atomic/tasks`));
  await Bun.write(`${folder.path}/.atomic/tasks/${name}`, '{"tasks": 7');
  await run.end(ok);
  expect(await run.next()).toBe("b");
});

describe("a loop with nothing left but another run's tasks", () => {
  test("waits for that run, says so, and ends as it does", async () => {
    await using folder = await tasksFolder(task("a"));
    const [one, other] = [runOn(folder, "r1"), runOn(folder, "r2", { isLive: () => true })];
    await one.next();
    const waiting = other.next();
    while (other.notes.length === 0) await new Promise(setImmediate);
    await one.end(ok);
    expect(await waiting).toEqual({ do: "stop", reason: "1 task passing", complete: true });
    expect(other.notes).toEqual([
      "research/tasks.json: 1 task in progress in the run r1: a. Nothing else is left to do, so the loop is waiting for it.",
    ]);
  });

  test("continues with what becomes ready", async () => {
    await using folder = await tasksFolder(task("a"), task("b", { dependencies: ["a"] }));
    const [one, other] = [runOn(folder, "r1"), runOn(folder, "r2", { isLive: () => true })];
    await one.next();
    const waiting = other.next();
    while (other.notes.length === 0) await new Promise(setImmediate);
    await one.end(ok);
    expect(await waiting).toBe("b");
  });

  test("takes them over when that run is over", async () => {
    await using folder = await tasksFolder(task("a"));
    let asked = 0;
    const isLive = () => {
      asked += 1;
      return asked < 3;
    };
    await runOn(folder, "r1").next();
    expect(await runOn(folder, "r2", { isLive }).next()).toBe("a");
  });

  test("stops waiting when it is stopped", async () => {
    await using folder = await tasksFolder(task("a"));
    await runOn(folder, "r1").next();
    const stop = new AbortController();
    const other = runOn(folder, "r2", { isLive: () => true, waitMs: 3_600_000 });
    const waiting = other.next(stop.signal);
    while (other.notes.length === 0) await new Promise(setImmediate);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
