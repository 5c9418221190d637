import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { PickRequest, TaskLoopDecisions, TaskOutcome, TaskPick } from "../../src/graph/services.ts";
import type { LoopTask } from "../../src/graph/state.ts";
import { type TaskLoopDecisionsOptions, taskLoopDecisions } from "../../src/tasks/task-loop-decisions.ts";
import { info, loop, type TasksFolder, type TestInfo, task, tasksFolder, tasksText } from "./tasks.ts";

setDefaultTimeout(180_000);

const tasksPath = "research/tasks.json";

interface Picker extends TaskLoopDecisions {
  take(iteration: number, more?: Partial<PickRequest>): Promise<TaskPick>;
  end(picked: TaskPick, outcome: TaskOutcome, nth?: number): Promise<TestInfo>;
}

/** One loop of one run. Making another one for the same run is what a crash does. */
function picker({ path }: TasksFolder, run: string, options: Partial<TaskLoopDecisionsOptions> = {}): Picker {
  const decisions = taskLoopDecisions({ folder: path, ...options });
  return {
    ...decisions,
    take: async (iteration, more = {}) =>
      await decisions.pick(
        { loop: loop(), tasksPath, iteration, mayRun: true, ...more },
        info(`${run}/L#${iteration}:pick`),
      ),
    end: async (picked, outcome, nth = 0) => {
      if (picked.do !== "run") throw new Error(`There is no task: ${picked.reason}`);
      const settleInfo = info(`${run}/L#1:settle`);
      await decisions.settle({ loop: loop(), tasksPath, task: picked.tasks[nth] as LoopTask, outcome }, settleInfo);
      return settleInfo;
    },
  };
}

const ok: TaskOutcome = { ok: true };
const failed: TaskOutcome = { ok: false, error: { name: "Error", message: "tests fail" } };
const idsOf = (picked: TaskPick): readonly string[] | string =>
  picked.do === "run" ? picked.tasks.map(({ id }) => id) : picked.reason;

test("picked tasks are marked first, and come with everything their author wrote", async () => {
  const own = { ...task("a"), estimate: { hours: 3 } };
  await using folder = await tasksFolder(own);
  const picked = await picker(folder, "r1").take(1);
  const marked = { ...own, status: "in_progress", claimedBy: "r1/L#1:pick", attempts: 1 };
  expect(picked).toEqual({ do: "run", tasks: [marked] } as unknown as TaskPick);
  expect((await folder.tasks()) as unknown).toEqual([marked]);
});

test("the same pick after a crash returns the same tasks, and counts no attempt", async () => {
  await using folder = await tasksFolder(task("a"), task("b"), task("c"));
  const before = await picker(folder, "r1").take(1, { loop: loop({ limit: 2 }) });
  const text = await folder.text();
  // Something more urgent has come meanwhile: it has to wait for the next pick.
  await folder.write(text.replace(/\{\s+"id": "c"/, '{ "priority": -9, "id": "c"'));
  const after = await picker(folder, "r1").take(1, { loop: loop({ limit: 2 }) });
  expect(idsOf(after)).toEqual(["a", "b"]);
  expect(after).toEqual(before);
});

test("a task that is settled again after a crash is settled once, and the reason is noted", async () => {
  await using folder = await tasksFolder(task("a"), task("b"));
  const one = picker(folder, "r1");
  const picked = await one.take(1, { loop: loop({ limit: 2 }) });
  expect((await one.end(picked, ok, 0)).notes).toEqual([]);
  expect((await one.end(picked, failed, 1)).notes).toEqual([]);
  const text = await folder.text();
  const again = picker(folder, "r1");
  expect((await again.end(picked, ok, 0)).notes).toEqual([
    'research/tasks.json: "a" is already marked as passing; it was left unchanged.',
  ]);
  expect((await again.end(picked, failed, 1)).notes).toEqual([
    'research/tasks.json: "b" is already marked as failing; it was left unchanged.',
  ]);
  expect(await folder.text()).toBe(text);
});

test("the file keeps the beginning and the end of a long error", async () => {
  await using folder = await tasksFolder(task("a"));
  const one = picker(folder, "r1");
  const message = `The build failed: ${"⏳🧱".repeat(3000)} error: no such file`;
  await one.end(await one.take(1), { ok: false, error: { name: "Error", message } });
  const { error = "" } = (await folder.tasks())[0] as { error?: string };
  expect([...error]).toHaveLength(1003);
  expect(error).toMatch(/^The build failed: [⏳🧱]+ … [⏳🧱]+ error: no such file$/u);
  const reason = idsOf(await one.take(9, { loop: loop({ maxAttempts: 1 }) }));
  expect(reason).toMatch(/^1 task failing: a \(The build failed: [⏳🧱]+…\)$/u);
});

test("a task that fails uses up its attempts, then ends the loop with the reason", async () => {
  await using folder = await tasksFolder(task("a"), task("b", { dependencies: ["a"] }));
  const one = picker(folder, "r1");
  const twice = { loop: loop({ maxAttempts: 2 }) };
  for (const iteration of [1, 2]) {
    const picked = await one.take(iteration, twice);
    expect(idsOf(picked)).toEqual(["a"]);
    await one.end(picked, failed);
  }
  expect(await one.take(3, twice)).toEqual({
    do: "stop",
    reason: "1 task failing: a (tests fail); 1 blocked by them: b",
    complete: false,
  });
  expect(await folder.statuses()).toBe("a failing, b pending");
});

test("another run tries failed tasks again, and passes on the error", async () => {
  await using folder = await tasksFolder(task("a"));
  const old = picker(folder, "r1");
  await old.end(await old.take(1), failed);
  const picked = await picker(folder, "r2", { isLive: () => false }).take(1);
  expect(picked).toMatchObject({ do: "run", tasks: [{ id: "a", attempts: 1, error: "tests fail" }] });
});

describe("a task in progress", () => {
  const held = task("a", { status: "in_progress", claimedBy: "r1/L#1:pick", attempts: 1 });

  test("of a run that is alive is left to it", async () => {
    await using folder = await tasksFolder(held, task("b"));
    const asked: string[] = [];
    const other = picker(folder, "r2", { isLive: async (run) => asked.push(run) > 0 });
    expect(idsOf(await other.take(1))).toEqual(["b"]);
    expect(asked).toEqual(["r1"]);
  });

  test("of an unknown run is also left to it", async () => {
    await using folder = await tasksFolder(held);
    expect(await picker(folder, "r2").take(1)).toEqual({
      do: "stop",
      reason: "1 task in progress in the run r1: a",
      complete: false,
    });
  });

  test("of a run that is over is started again, and the old run finds it taken if it resumes", async () => {
    await using folder = await tasksFolder(task("a"));
    const old = picker(folder, "r1");
    const lost = await old.take(1);
    const picked = await picker(folder, "r2", { isLive: () => false }).take(1);
    expect(idsOf(picked)).toEqual(["a"]);
    expect((await old.end(lost, ok)).notes).toEqual([
      'research/tasks.json: "a" was claimed by the run r2 in the meantime; it was left unchanged.',
    ]);
    expect(await folder.statuses()).toBe("a in_progress");
  });

  test("that an agent restored with an older version of the file is started again", async () => {
    await using folder = await tasksFolder(task("a"), task("b"));
    const one = picker(folder, "r1");
    const first = await one.take(1);
    const committed = await folder.text();
    await one.end(first, ok);
    const second = await one.take(2);
    await folder.write(committed);
    expect((await one.end(second, ok)).notes).toEqual([
      'research/tasks.json: "b" was set to pending in the meantime; it was left unchanged.',
    ]);
    expect(idsOf(await one.take(3))).toEqual(["a"]);
  });
});

describe("the last check, when no iteration is left,", () => {
  const last = { mayRun: false };

  test("marks nothing and says what is left", async () => {
    await using folder = await tasksFolder(task("a", { status: "passing" }), task("b"), task("c"));
    const before = await folder.text();
    expect(await picker(folder, "r1").take(9, last)).toEqual({
      do: "stop",
      reason: "max-iterations: 2 tasks left: b, c",
      complete: false,
    });
    expect(await folder.text()).toBe(before);
  });

  test("is complete if all tasks are done", async () => {
    await using folder = await tasksFolder(task("a", { status: "passing" }));
    expect(await picker(folder, "r1").take(9, last)).toEqual({ do: "stop", reason: "1 task passing", complete: true });
  });
});

describe("a loop's own condition", () => {
  test("ends it, whatever is left", async () => {
    await using folder = await tasksFolder(task("a", { status: "passing" }), task("b"));
    const until = (tasks: readonly LoopTask[]): boolean => tasks.some(({ status }) => status === "passing");
    expect(await picker(folder, "r1").take(1, { until })).toEqual({ do: "stop", reason: "done", complete: true });
  });

  test("is not met just because nothing is left to do", async () => {
    await using folder = await tasksFolder(task("a", { status: "passing" }));
    expect(await picker(folder, "r1").take(1, { until: () => false })).toEqual({
      do: "stop",
      reason: "1 task passing, but the loop's own condition is not met",
      complete: false,
    });
  });

  test("and its selector see the file after an edit in between", async () => {
    await using folder = await tasksFolder(task("a"));
    const seen: string[] = [];
    const select = (ready: readonly LoopTask[]): LoopTask | undefined => {
      seen.push(ready.map(({ id }) => id).join());
      if (seen.length === 1) writeFileSync(folder.file, tasksText(task("b"), task("c")));
      return ready.at(-1);
    };
    expect(idsOf(await picker(folder, "r1").take(1, { select }))).toEqual(["c"]);
    expect(seen).toEqual(["a", "b,c"]);
  });
});

/** A run in a process of its own. It tells its first task, and goes on when it is told to. */
function otherProcess(folder: string, run: string) {
  const module = JSON.stringify(import.meta.resolve("../../src/tasks/task-loop-decisions.ts"));
  const program = `
    import { taskLoopDecisions } from ${module};
    const decisions = taskLoopDecisions({ folder: ${JSON.stringify(folder)} });
    const loop = ${JSON.stringify(loop())}, tasksPath = "${tasksPath}";
    const { signal } = new AbortController();
    const note = (text) => { throw new Error(text); };
    const said = process.stdin[Symbol.asyncIterator]();
    await said.next();
    for (let iteration = 1; ; iteration++) {
      const request = { loop, tasksPath, iteration, mayRun: true };
      const picked = await decisions.pick(request, { idemKey: "${run}/L#" + iteration + ":pick", signal });
      if (picked.do === "stop") process.exit(0);
      const [task] = picked.tasks;
      console.log(task.id);
      if (iteration === 1) await said.next();
      await decisions.settle({ loop, tasksPath, task, outcome: { ok: true } }, { signal, note });
    }`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const say = (): void => {
    child.stdin.write("go\n");
    child.stdin.flush();
  };
  const rest = async (): Promise<string> => {
    let text = "";
    for (let read = await output.read(); !read.done; read = await output.read()) text += read.value;
    expect(await child.exited, await child.stderr.text()).toBe(0);
    return text;
  };
  return { say, first: async () => (await output.read()).value ?? "", rest, [Symbol.dispose]: () => child.kill() };
}

test("two processes that pick at the same time never get the same task", async () => {
  const tasks = Array.from({ length: 16 }, (_, at) => task(`t${at}`));
  await using folder = await tasksFolder(...tasks);
  using one = otherProcess(folder.path, "r1");
  using other = otherProcess(folder.path, "r2");
  one.say();
  other.say();
  const first = await Promise.all([one.first(), other.first()]);
  expect(first.join("").trim().split("\n").sort()).toEqual(["t0", "t1"]);
  one.say();
  other.say();
  const rest = await Promise.all([one.rest(), other.rest()]);
  const all = [...first, ...rest].join("").trim().split("\n");
  expect(all.sort()).toEqual(tasks.map(({ id }) => id).sort());
  expect(new Set((await folder.tasks()).map(({ status }) => status))).toEqual(new Set(["passing"]));
});
