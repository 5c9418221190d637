import { describe, expect, test } from "bun:test";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { criteriaLoopNode, decisionNode, parallelNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import type { CriteriaLoopDecisions, JudgeRequest, TaskLoopDecisions } from "../../src/graph/services.ts";
import type { LoopTask } from "../../src/graph/state.ts";
import { append } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { PermanentError } from "../../src/run/step-errors.ts";
import { crashingStore } from "./crashing-store.ts";
import { engineFor, noEntities, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

test.each(["criteria", "tasks"])("a %s loop does not continue with a host that is not installed", async (kind) => {
  const missing = new PermanentError("x is not installed.", { code: "host-missing", hint: "Install it." });
  const work = toolNode({
    id: "work",
    run: () => {
      throw missing;
    },
  });
  const decided: string[] = [];
  const services = {
    criteriaLoop: { judge: () => ({ do: "continue", memo: decided.push("judged") }) as const },
    taskLoop: {
      pick: () => ({ do: "run", tasks: [{ id: "a" } as LoopTask] }) as const,
      settle: () => void decided.push("settled"),
    },
  };
  const compiled = graph({ name: "x" })
    .start(
      kind === "criteria"
        ? criteriaLoopNode({ taskNodes: work, maxIterations: 3 })
        : taskLoopNode({ taskNodes: work, maxIterations: 3 }),
    )
    .compile(noEntities);
  const { status } = await runGraph(compiled, services);
  expect(status).toMatchObject({ kind: "failed", error: { code: "host-missing", hint: "Install it." } });
  expect(decided).toEqual([]);
});

describe("a loop", () => {
  const loop = (maxIterations: number, onIncomplete?: "fail") =>
    graph({ name: "x" })
      .loop(toolNode({ id: "t", run: ({ iteration }) => iteration }), {
        until: ({ iteration }) => iteration === 4,
        maxIterations,
        onIncomplete,
      })
      .compile(noEntities);

  test("says how often it ran and why it stopped", async () => {
    expect((await runGraph(loop(9))).result.outputs).toEqual({
      t: 4,
      loop: { iterations: 4, stopped: "done", complete: true },
    });
    expect((await runGraph(loop(4))).result.outputs.loop).toEqual({ iterations: 4, stopped: "done", complete: true });
    expect((await runGraph(loop(3))).result.outputs.loop).toEqual({
      iterations: 3,
      stopped: "max-iterations",
      complete: false,
    });
  });

  test("fails if it must be done but is not", async () => {
    expect((await runGraph(loop(1, "fail"))).status).toMatchObject({
      kind: "failed",
      error: { message: "the loop stopped after 1 iteration, before it was done: max-iterations" },
    });
  });

  test("ends when its time is over", async () => {
    const compiled = graph({ name: "x" })
      .loop(toolNode({ id: "t", run: () => 1 }), { until: () => false, maxIterations: 0, maxDurationMs: 5 })
      .compile(noEntities);
    expect((await runGraph(compiled)).result.outputs.loop).toMatchObject({ stopped: "max-duration", complete: false });
  });

  test("inside another shows its own iteration, then the outer one again, even after a failure", async () => {
    const seen: string[] = [];
    const note = (id: string) => toolNode({ id, run: ({ iteration }) => seen.push(`${id}${iteration}`) });
    const compiled = graph({ name: "x" })
      .loop(
        graph({ name: "y" })
          .loop([note("in"), toolNode({ id: "bad", run: () => Promise.reject(new Error("x")) })], {
            id: "inner",
            until: () => true,
          })
          .catch(note("h"))
          .then(note("out")),
        { id: "outer", until: ({ iteration }) => iteration === 2 },
      )
      .then(note("after"))
      .compile(noEntities);
    await runGraph(compiled);
    expect(seen).toEqual(["in1", "h1", "out1", "in1", "h2", "out2", "afterundefined"]);
  });
});

/** Tasks in a list, one attempt each; enough to see what the loop asks for. */
function listOfTasks(ids: readonly string[]): TaskLoopDecisions & { readonly marks: string[] } {
  const open = [...ids];
  const marks: string[] = [];
  return {
    marks,
    pick: ({ loop, mayRun }) => {
      if (open.length === 0) {
        const failed = marks.some((mark) => mark.endsWith("failing"));
        return { do: "stop", reason: failed ? "failing" : "all-complete", complete: !failed };
      }
      if (!mayRun) return { do: "stop", reason: "max-iterations", complete: false };
      return { do: "run", tasks: open.splice(0, loop.limit).map((id) => ({ id })) };
    },
    settle: ({ task, outcome }) => void marks.push(`${task.id} ${outcome.ok ? "passing" : "failing"}`),
  };
}

describe("a task loop", () => {
  const work = (limit: number, maxIterations = 100) =>
    graph({ name: "x", state: { done: append<string>(), last: "" } })
      .start(
        taskLoopNode({
          preIterationNode: toolNode({
            id: "before",
            run: ({ currentTask }) => `before ${currentTask?.id}`,
            into: "done",
          }),
          taskNodes: toolNode({
            id: "work",
            run: ({ currentTask }) => {
              if (currentTask?.id === "bad") throw new Error("tests fail");
              return currentTask?.id;
            },
            output: (id) => ({ done: [String(id)], last: String(id) }),
          }),
          limit,
          maxIterations,
        }),
      )
      .compile(noEntities);

  test("runs its nodes for each task, and continues after one that fails", async () => {
    const taskLoop = listOfTasks(["a", "bad", "b"]);
    const { result } = await runGraph(work(1), { taskLoop });
    expect(taskLoop.marks).toEqual(["a passing", "bad failing", "b passing"]);
    expect(result.state).toEqual({ done: ["before a", "a", "before bad", "before b", "b"], last: "b" });
    expect(result.outputs["task-loop"]).toEqual({ iterations: 3, stopped: "failing", complete: false });
  });

  test("works on several at a time, and takes their updates in the order of the tasks", async () => {
    const taskLoop = listOfTasks(["a", "b", "c"]);
    const { result, keys } = await runGraph(work(2), { taskLoop });
    expect(result.state).toEqual({ done: ["before a", "a", "before b", "b", "before c", "c"], last: "c" });
    expect(result.outputs["task-loop"]).toEqual({ iterations: 2, stopped: "all-complete", complete: true });
    expect(keys).toContain("task-loop#1.1/work");
    expect(keys).toContain("task-loop#2/work");
  });

  test("is complete only if its last iteration finished everything", async () => {
    const ended = async (ids: string[]) =>
      (await runGraph(work(1, 2), { taskLoop: listOfTasks(ids) })).result.outputs["task-loop"];
    expect(await ended(["a", "b"])).toEqual({ iterations: 2, stopped: "all-complete", complete: true });
    expect(await ended(["a", "b", "c"])).toEqual({ iterations: 2, stopped: "max-iterations", complete: false });
  });

  test("passes on the file's path and the graph's functions", async () => {
    const seen: unknown[] = [];
    const compiled = graph({ name: "x", state: { folder: "plan", enough: 1 } })
      .start(
        taskLoopNode({
          tasksPath: ({ folder }) => `${folder}/tasks.json`,
          taskNodes: toolNode({ id: "t", run: () => 1 }),
          until: ({ enough }, tasks) => tasks.length === enough,
          taskSelector: (tasks) => tasks.at(-1),
          maxAttempts: 3,
        }),
      )
      .compile(noEntities);
    const tasks: LoopTask[] = [{ id: "a" }, { id: "b" }];
    await runGraph(compiled, {
      taskLoop: {
        pick: ({ tasksPath, until, select, loop, iteration }) => {
          seen.push(tasksPath, until?.(tasks), until?.(tasks.slice(1)), select?.(tasks), loop.maxAttempts, iteration);
          return { do: "stop", reason: "seen", complete: true };
        },
        settle: () => undefined,
      },
    });
    expect(seen).toEqual(["plan/tasks.json", false, true, { id: "b" }, 3, 1]);
  });

  test("picks and settles once each, however often its process dies", async () => {
    const ids = ["a", "bad", "b", "c"];
    for (const records of [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) {
      const disk: MemoryDisk = new Map();
      const compiled = work(1);
      // What tasks are open is on disk, too: told by the journal, which a pick before a crash is not in.
      const picks: string[] = [];
      const taskLoop: TaskLoopDecisions = {
        pick: ({ iteration }) => {
          const id = ids[iteration - 1];
          picks.push(`${iteration}`);
          return id === undefined ? { do: "stop", reason: "all", complete: true } : { do: "run", tasks: [{ id }] };
        },
        settle: () => undefined,
      };
      const { store, died } = crashingStore(disk, records);
      const engine = engineFor(compiled, { store, taskLoop });
      await engine.start({ runId: "run", graph: compiled.json, input: null });
      await engine.run("run");
      await died;
      const { result, keys } = await runGraph(compiled, { store: memoryStore(disk), taskLoop });
      expect(result.state.last).toBe("c");
      expect(keys.filter((key) => key.endsWith(":pick"))).toHaveLength(5);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test("shows its task and iteration in branches, but not after it", async () => {
    const seen: string[] = [];
    const note = (id: string) =>
      toolNode({ id, run: ({ currentTask, iteration }) => seen.push(`${id} ${currentTask?.id} ${iteration}`) });
    const compiled = graph({ name: "x" })
      .start(taskLoopNode({ taskNodes: parallelNode({ branches: [note("in")] }) }))
      .then(note("after"))
      .compile(noEntities);
    await runGraph(compiled, { taskLoop: listOfTasks(["a", "b"]) });
    expect(seen).toEqual(["in a 1", "in b 2", "after undefined undefined"]);
  });

  test("settles a task with its last message", async () => {
    const texts: unknown[] = [];
    const compiled = graph({ name: "x" })
      .start(
        taskLoopNode({
          taskNodes: decisionNode({
            routes: [{ when: ({ currentTask }) => currentTask?.id === "a", nodes: agentNode({ prompt: "Hi" }) }],
          }),
        }),
      )
      .compile(noEntities);
    const taskLoop: TaskLoopDecisions = {
      ...listOfTasks(["a", "b"]),
      settle: ({ outcome }) => void texts.push(outcome.ok && outcome.text),
    };
    await runGraph(compiled, { taskLoop });
    expect(texts).toEqual(["reply to: Hi", undefined]);
  });

  test("with nothing to pick tasks says so, and no handler treats that as a node's failure", async () => {
    const compiled = graph({ name: "x" })
      .start(taskLoopNode({ taskNodes: toolNode({ id: "t", run: () => 1 }) }))
      .catch(toolNode({ id: "h", run: () => "handled" }))
      .compile(noEntities);
    const { status } = await runGraph(compiled);
    expect(status.kind === "failed" && status.error.message).toContain(
      'has a task loop ("try/task-loop"), but no service to pick',
    );
  });
});

describe("a criteria loop", () => {
  const polish = (maxIterations = 10) =>
    graph({ name: "x" })
      .start(
        criteriaLoopNode({
          taskNodes: agentNode({ id: "work", prompt: ({ iteration }) => `round ${iteration}` }),
          completionSignal: "DONE",
          maxIterations,
          maxCostUsd: 2,
        }),
      )
      .compile(noEntities);

  test("gives the judge what happened, and its memo", async () => {
    const seen: Omit<JudgeRequest, "loop" | "elapsedMs">[] = [];
    const criteriaLoop: CriteriaLoopDecisions = {
      judge: ({ loop, elapsedMs, ...request }) => {
        seen.push(request);
        expect([loop.signal, loop.maxCostUsd, loop.noProgressLimit, elapsedMs >= 0]).toEqual(["DONE", 2, 3, true]);
        if (request.text === "DONE") return { do: "stop", reason: "signal", complete: true };
        return { do: "continue", memo: [request.iteration] };
      },
    };
    const host = new ScriptedHost(({ prompt }) => {
      if (prompt === "round 2") throw new Error("crashed");
      return { text: prompt === "round 3" ? "DONE" : "more to do", usd: 0.5 };
    });
    const { result } = await runGraph(polish(), { host, criteriaLoop });
    expect(seen).toEqual([
      { iteration: 1, text: "more to do", usd: 0.5, memo: null },
      {
        iteration: 2,
        failure: { name: "Error", message: "crashed", key: "criteria-loop#2/work" },
        usd: 0.5,
        memo: [1],
      },
      { iteration: 3, text: "DONE", usd: 1, memo: [2] },
    ]);
    expect(result.outputs["criteria-loop"]).toEqual({ iterations: 3, stopped: "signal", complete: true });
  });

  test("counts the cost and takes the last message of inner branches and graphs", async () => {
    const say = (id: string) => agentNode({ id, prompt: id });
    const inside = graph({ name: "inside" }).start(say("c")).toGraph();
    const compiled = graph({ name: "x" })
      .start(
        criteriaLoopNode({
          taskNodes: decisionNode({
            routes: [
              { when: ({ iteration }) => iteration === 1, nodes: parallelNode({ branches: [say("a"), say("b")] }) },
              { when: ({ iteration }) => iteration === 2, nodes: subgraphNode({ graph: inside }) },
            ],
          }),
          maxIterations: 3,
        }),
      )
      .compile(noEntities);
    const seen: unknown[] = [];
    const criteriaLoop: CriteriaLoopDecisions = {
      judge: ({ text, usd }) => {
        seen.push([text, usd]);
        return { do: "continue", memo: null };
      },
    };
    const host = new ScriptedHost(({ prompt }) => ({ text: prompt, usd: 1 }));
    await runGraph(compiled, { host, criteriaLoop });
    expect(seen).toEqual([
      ["b", 2],
      ["c", 3],
      [undefined, 3],
    ]);
  });

  test("ends after its last iteration, whatever the verdict is", async () => {
    const criteriaLoop: CriteriaLoopDecisions = { judge: () => ({ do: "continue", memo: null }) };
    const { result } = await runGraph(polish(2), { criteriaLoop });
    expect(result.outputs["criteria-loop"]).toEqual({ iterations: 2, stopped: "max-iterations", complete: false });
  });
});
