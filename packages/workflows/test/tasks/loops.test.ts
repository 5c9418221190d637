// Whole graphs on a real tasks file. The faults that such loops are easily written with are named.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import type { CompiledGraph } from "../../src/graph/compile.ts";
import { criteriaLoopNode, type TaskLoopNodeConfig, taskLoopNode } from "../../src/graph/control-nodes.ts";
import type { BaseState } from "../../src/graph/state.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { criteriaLoopDecisions } from "../../src/tasks/criteria-loop-decisions.ts";
import { taskLoopDecisions } from "../../src/tasks/task-loop-decisions.ts";
import { crashingStore } from "../graph/crashing-store.ts";
import { engineFor, noEntities, type RunOptions, runGraph } from "../graph/run-graph.ts";
import { ScriptedHost } from "../graph/scripted-host.ts";
import { type TasksFolder, task, tasksFolder } from "./tasks.ts";

setDefaultTimeout(180_000);

/** A task loop whose work fails for the tasks named. */
function working(
  did: string[],
  failing: readonly string[] = [],
  more: Partial<Omit<TaskLoopNodeConfig<BaseState>, "taskNodes">> = {},
): CompiledGraph {
  const taskNodes = toolNode({
    id: "work",
    run: ({ currentTask }) => {
      did.push(String(currentTask?.id));
      if (failing.includes(String(currentTask?.id))) throw new Error("tests fail");
    },
  });
  return graph({ name: "tasks" })
    .start(taskLoopNode({ id: "L", taskNodes, ...more }))
    .compile(noEntities);
}

async function run(folder: TasksFolder, compiled: CompiledGraph, options: RunOptions = {}): Promise<unknown> {
  const taskLoop = taskLoopDecisions({ folder: folder.path, isLive: () => false });
  return (await runGraph(compiled, { taskLoop, ...options })).result.outputs.L;
}

const passing = { status: "passing" } as const;

describe("a task loop", () => {
  test("design 1: runs its nodes for every task", async () => {
    await using folder = await tasksFolder(task("a"), task("b"), task("c"));
    const did: string[] = [];
    expect(await run(folder, working(did))).toEqual({ iterations: 3, stopped: "3 tasks passing", complete: true });
    expect(did).toEqual(["a", "b", "c"]);
  });

  test("design 2: marks each task by how it ended", async () => {
    await using folder = await tasksFolder(task("a"), task("b"), task("c"));
    await run(folder, working([], ["b"]));
    expect(await folder.statuses()).toBe("a passing, b failing, c passing");
  });

  test("design 3: takes tasks by priority, after their dependencies", async () => {
    await using folder = await tasksFolder(
      task("last"),
      task("third", { priority: 1, dependencies: ["second"] }),
      task("second", { priority: 5, dependencies: ["first"] }),
      task("first", { priority: 9 }),
    );
    const did: string[] = [];
    await run(folder, working(did));
    expect(did).toEqual(["first", "second", "third", "last"]);
  });

  test("design 4: treats a task that a crash left in progress as unfinished, and does it", async () => {
    const left = { status: "in_progress", claimedBy: "gone/L#1:pick", attempts: 1 } as const;
    await using folder = await tasksFolder(task("a", passing), task("b", left));
    const did: string[] = [];
    expect(await run(folder, working(did))).toMatchObject({ complete: true });
    expect(did).toEqual(["b"]);
  });

  test("design 4: stops at tasks that always fail, with the reason, and is not complete", async () => {
    await using folder = await tasksFolder(task("a"), task("b"), task("c", { dependencies: ["b"] }), task("d"));
    const did: string[] = [];
    expect(await run(folder, working(did, ["b"], { maxAttempts: 3 }))).toEqual({
      iterations: 5,
      stopped: "1 task failing: b (tests fail); 1 blocked by them: c",
      complete: false,
    });
    expect(did).toEqual(["a", "b", "b", "b", "d"]);
  });

  test("without a limit of iterations ends when each task has used up its attempts", async () => {
    await using folder = await tasksFolder(task("a"), task("b"));
    const did: string[] = [];
    expect(await run(folder, working(did, ["a", "b"], { maxIterations: 0, maxAttempts: 2 }))).toEqual({
      iterations: 4,
      stopped: "2 tasks failing: a (tests fail), b (tests fail)",
      complete: false,
    });
  });

  test("reports what is wrong with the file before anything runs", async () => {
    await using folder = await tasksFolder(
      task("a", { dependencies: ["b"] }),
      task("b", { dependencies: ["a"] }),
      task("b"),
    );
    const did: string[] = [];
    const taskLoop = taskLoopDecisions({ folder: folder.path });
    const { status } = await runGraph(working(did), { taskLoop });
    expect(status).toMatchObject({ kind: "failed", error: { name: "TasksError", code: "tasks-invalid" } });
    expect(JSON.stringify(status)).toContain("These tasks depend on each other");
    expect(JSON.stringify(status)).toContain("have the same id");
    expect(did).toEqual([]);
  });

  test("works on several tasks at a time, never on more than it may", async () => {
    const tasks = Array.from({ length: 7 }, (_, at) => task(`t${at}`, at === 6 ? { dependencies: ["t0"] } : {}));
    await using folder = await tasksFolder(...tasks);
    const did: string[] = [];
    const end = await run(folder, working(did, ["t1"], { limit: 3 }));
    expect(end).toEqual({ iterations: 3, stopped: "1 task failing: t1 (tests fail)", complete: false });
    expect(did.toSorted()).toEqual(tasks.map(({ id }) => id));
  });

  test("killed at any record of its journal, reaches the same end, and no two picks start the same task", async () => {
    const tasks = [task("a"), task("b", { dependencies: ["a"] }), task("c"), task("d", { dependencies: ["c", "b"] })];
    for (let records = 1; ; records++) {
      await using folder = await tasksFolder(...tasks);
      const disk: MemoryDisk = new Map();
      const did: string[] = [];
      const compiled = working(did, [], { limit: 2 });
      const taskLoop = taskLoopDecisions({ folder: folder.path });
      const { store, died } = crashingStore(disk, records);
      const engine = engineFor(compiled, { store, taskLoop });
      await engine.start({ runId: "run", graph: compiled.json, input: null });
      const first = await engine.run("run");
      const ended = await Promise.race([died.then(() => undefined), first.ended.then(({ kind }) => kind)]);
      if (ended === "done") return expect(records).toBeGreaterThan(20);
      expect(await run(folder, compiled, { store: memoryStore(disk), taskLoop })).toMatchObject({ complete: true });
      expect(await folder.statuses()).toBe("a passing, b passing, c passing, d passing");
      // Only what was under way when the process died may happen twice.
      expect(did.length).toBeLessThanOrEqual(tasks.length + 2);
    }
  });
});

describe("a criteria loop", () => {
  const loop = (more: object = {}): CompiledGraph =>
    graph({ name: "yolo" })
      .start(criteriaLoopNode({ id: "L", taskNodes: agentNode({ id: "work", prompt: "Go on." }), ...more }))
      .compile(noEntities);

  const answering = (answers: readonly string[]): ScriptedHost => {
    const left = [...answers];
    return new ScriptedHost(() => left.shift() ?? "nothing new");
  };

  test("design 1 and 4: runs its nodes in each iteration, and ends at the signal, not at talk about it", async () => {
    await using folder = await tasksFolder();
    const host = answering([
      "When I am done I will say <promise>COMPLETE</promise>",
      "> COMPLETE",
      "All done.\n\nCOMPLETE",
    ]);
    const criteriaLoop = criteriaLoopDecisions({ folder: folder.path, fingerprint: async () => undefined });
    const { result } = await runGraph(loop(), { host, criteriaLoop });
    expect(result.outputs.L).toEqual({ iterations: 3, stopped: "signal", complete: true });
    expect(host.sent).toHaveLength(3);
  });

  test("ends when nothing changes anymore, with the reason", async () => {
    await using folder = await tasksFolder();
    const criteriaLoop = criteriaLoopDecisions({ folder: folder.path, fingerprint: async () => undefined });
    const { result } = await runGraph(loop({ maxIterations: 0, maxDurationMs: 600_000 }), {
      host: answering(["one", "two"]),
      criteriaLoop,
    });
    expect(result.outputs.L).toEqual({
      iterations: 5,
      stopped: "no-progress: the same answer in the last 3 iterations: nothing new",
      complete: false,
    });
  });
});
