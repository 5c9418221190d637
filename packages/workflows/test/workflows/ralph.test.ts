// Ralph as it comes with the package, on real task files, with an agent that a test speaks for.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { initializeWorkflowsSDK } from "../../src/entities/initialize.ts";
import type { EntityRegistry } from "../../src/entities/registry.ts";
import { type CompiledGraph, compileGraph } from "../../src/graph/compile.ts";
import { loadWorkflowWithParts } from "../../src/graph/load-workflow.ts";
import { drawGraph } from "../../src/graph/pictures.ts";
import { readArguments } from "../../src/graph/read-arguments.ts";
import type { PromptRequest } from "../../src/graph/services.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { criteriaLoopDecisions } from "../../src/tasks/criteria-loop-decisions.ts";
import type { Task } from "../../src/tasks/task.ts";
import { taskLoopDecisions } from "../../src/tasks/task-loop-decisions.ts";
import { crashingStore } from "../graph/crashing-store.ts";
import { type Ended, runGraph } from "../graph/run-graph.ts";
import { ScriptedHost } from "../graph/scripted-host.ts";

setDefaultTimeout(180_000);

const source = join(import.meta.dirname, "../../builtin/workflows");

interface Place extends AsyncDisposable {
  readonly path: string;
  readonly registry: EntityRegistry;
  readonly ralph: CompiledGraph;
  /** Writes the task file anew. */
  begin(tasks: readonly Partial<Task>[]): Promise<void>;
  run(host: ScriptedHost, words?: readonly string[], more?: object): Promise<Ended>;
  statuses(): Promise<Record<string, string>>;
  task(id: string): Promise<Task>;
}

/** A project with these tasks, and nothing of the user's. */
async function projectWith(tasks: readonly Partial<Task>[] = [], file = "research/tasks.json"): Promise<Place> {
  const folder = await temporaryFolder();
  const path = join(folder.path, "project");
  await mkdir(join(folder.path, "home"));
  const begin = async (list: readonly Partial<Task>[]): Promise<void> => {
    const whole = list.map((task) => ({ name: `Do ${task.id}`, status: "pending", ...task }));
    await Bun.write(join(path, file), JSON.stringify({ version: "1.0", tasks: whole }));
  };
  await begin(tasks);
  const registry = await initializeWorkflowsSDK({ projectPath: path, userPath: join(folder.path, "home") });
  const { graph, workflows } = await loadWorkflowWithParts(registry, "ralph");
  const ralph = compileGraph(graph, registry, { workflows });
  const read = async (): Promise<Task[]> => (await Bun.file(join(path, file)).json()).tasks;
  return {
    path,
    registry,
    ralph,
    begin,
    run: async (host, words = [], more = {}) => {
      const { input, problems } = readArguments(graph.arguments ?? {}, words);
      expect(problems).toEqual([]);
      const services = {
        taskLoop: taskLoopDecisions({ folder: path }),
        criteriaLoop: criteriaLoopDecisions({ folder: path, fingerprint: async () => undefined }),
      };
      return await runGraph(ralph, { input, host, registry, ...services, ...more });
    },
    statuses: async () => Object.fromEntries((await read()).map(({ id, status }) => [id, status])),
    task: async (id) => (await read()).find((task) => task.id === id) as Task,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const taskIn = ({ prompt }: PromptRequest): Task => JSON.parse(/```json\n([\s\S]*?)\n```/.exec(prompt)?.[1] ?? "");
const passing = "All checks pass.\n\n<outcome>passing</outcome>";

function failureOf({ status }: Ended): string {
  if (status.kind !== "failed") throw new Error(`The run has not failed, but is ${status.kind}.`);
  return status.error.message;
}

function idsOf(host: ScriptedHost): string[] {
  return host.requests.map((request) => taskIn(request).id);
}

describe("Ralph", () => {
  test("comes with the package, and shows its arguments without being run", async () => {
    await using place = await projectWith();
    const entity = place.registry.require("workflow", "ralph");
    expect(entity.source).toMatchObject({ provider: "atomic", location: "builtin", path: join(source, "ralph.ts") });
    expect(entity.description).toStartWith("Works through a tasks.json");
    expect(entity.argumentHint).toBe("--yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>");
    expect(place.registry.diagnostics()).toEqual([]);
  });

  test("is under 100 lines, and its prompts are Markdown", async () => {
    const text = await Bun.file(join(source, "ralph.ts")).text();
    expect(text.split("\n").length).toBeLessThan(100);
    expect(text).not.toContain("progress.md");
  });

  test("is two loops", async () => {
    await using place = await projectWith();
    expect(`\n${drawGraph(place.ralph.json)}`).toMatchSnapshot();
  });
});

describe("Ralph on a task file", () => {
  test("does every task in its own session, by priority and after its dependencies", async () => {
    await using place = await projectWith([
      { id: "later", dependencies: ["first", "second"] },
      { id: "second", priority: 2 },
      { id: "first", priority: 1, description: "The base", metadata: { steps: ["look", "do"] } },
      { id: "done", status: "passing" },
    ]);
    const host = new ScriptedHost(() => passing);
    const { status, result } = await place.run(host);
    expect(status.kind).toBe("done");
    expect(result.outputs.tasks).toEqual({ iterations: 3, stopped: expect.any(String), complete: true });
    expect(idsOf(host)).toEqual(["first", "second", "later"]);
    expect(new Set(host.sent.map(({ session }) => session)).size).toBe(3);
    expect(await place.statuses()).toEqual({ later: "passing", second: "passing", first: "passing", done: "passing" });
  });

  test("the agent gets the whole task, without the loop's own bookkeeping", async () => {
    await using place = await projectWith([{ id: "a", acceptanceCriteria: ["It works"], metadata: { steps: ["do"] } }]);
    const host = new ScriptedHost(() => passing);
    await place.run(host);
    expect(taskIn(host.requests[0] as PromptRequest)).toEqual({
      id: "a",
      name: "Do a",
      acceptanceCriteria: ["It works"],
      metadata: { steps: ["do"] },
      attempts: 1,
    } as never);
    expect(host.requests[0]?.prompt).toMatchSnapshot();
  });

  test("another file can be named", async () => {
    await using place = await projectWith([{ id: "a" }], "plans/tasks.json");
    const host = new ScriptedHost(() => passing);
    expect((await place.run(host, ["--tasks", "plans/tasks.json"])).status.kind).toBe("done");
    expect(await place.statuses()).toEqual({ a: "passing" });
    expect(host.requests[0]?.prompt).toContain("`plans/tasks.json`");
  });

  test("a task that fails is tried again with the reason, and passes", async () => {
    await using place = await projectWith([{ id: "a" }]);
    const host = new ScriptedHost((request) =>
      taskIn(request).error === undefined ? "No compiler here.\n<outcome>failing</outcome>" : passing,
    );
    expect((await place.run(host)).status.kind).toBe("done");
    expect(idsOf(host)).toEqual(["a", "a"]);
    expect(taskIn(host.requests[1] as PromptRequest).error).toContain("No compiler here.");
    expect(await place.task("a")).toEqual({ id: "a", name: "Do a", status: "passing" });
  });

  test.each([
    ["says so", "I tried.\n<outcome>failing</outcome>", "The agent reports that the task is failing: I tried."],
    ["says nothing", "All done!", "The agent did not say whether the task is passing; it ended with: All done!"],
    ["says both", `${passing}\n<outcome>failing</outcome>`, "The agent reports that the task is failing"],
    ["repeats its instructions", "I will end with `<outcome>passing</outcome>`.", "did not say whether"],
    ["quotes an example", "```\n<outcome>passing</outcome>\n```", "did not say whether"],
    ["shows code with an example", "```md\n```text\n<outcome>passing</outcome>\n```\n```", "did not say whether"],
    ["goes on after it", `${passing}\n\nBut two tests fail.`, "did not say whether"],
    ["says nothing at all", "", "it ended with: (nothing)"],
  ])("a task fails for good if the agent %s, and the loop stops with the reason", async (_how, message, reason) => {
    await using place = await projectWith([
      { id: "bad", priority: 1 },
      { id: "after", dependencies: ["bad"] },
      { id: "good" },
    ]);
    const host = new ScriptedHost((request) => (taskIn(request).id === "bad" ? message : passing));
    expect(failureOf(await place.run(host))).toMatch(/^the loop stopped after 4 iterations, before it was done: .*bad/);
    expect(idsOf(host).filter((id) => id === "bad")).toHaveLength(3);
    expect(await place.statuses()).toEqual({ bad: "failing", after: "pending", good: "passing" });
    expect((await place.task("bad")).error).toContain(reason);
  });

  test("an agent that marks tasks as passing itself does not end the work", async () => {
    await using place = await projectWith([{ id: "a" }, { id: "b" }]);
    const cheat = async (): Promise<string> => {
      await place.begin(["a", "b"].map((id) => ({ id, status: "passing" as const })));
      return "The tests fail.\n<outcome>failing</outcome>";
    };
    expect(failureOf(await place.run(new ScriptedHost(cheat)))).toContain("2 tasks failing: a ");
    expect(await place.statuses()).toEqual({ a: "failing", b: "failing" });
  });

  test("the end of a long report is remembered, without the tag", async () => {
    await using place = await projectWith([{ id: "a" }]);
    const report = `${"I looked. ".repeat(500)}\n\nThere is no 🧭.\n\n<outcome>failing</outcome>\n`;
    await place.run(new ScriptedHost(() => report));
    const { error = "" } = await place.task("a");
    expect(error).toStartWith("The agent reports that the task is failing: …");
    expect(error).toEndWith("I looked. \n\nThere is no 🧭.");
    expect(error.length).toBeLessThan(660);
  });

  test("an agent that only repeats its prompt does not make the reason longer with each attempt", async () => {
    await using place = await projectWith([{ id: "a" }]);
    const host = new ScriptedHost(({ prompt }) => prompt);
    const { events } = await place.run(host);
    const errors = events.flatMap((event) => (event.type === "step-failed" ? [event.error.message] : []));
    expect(errors.slice(0, 3)).toEqual(Array(3).fill(errors[0]));
    expect(errors[0]).toMatch(/^The agent did not say whether the task is passing; it ended with: ….{300}$/);
    expect((await place.task("a")).error).toBe(errors[0] as string);
  });

  test("killed anywhere in its journal, it continues, and no task is done twice", async () => {
    const chain = [{ id: "a" }, { id: "b", dependencies: ["a"] }, { id: "c", dependencies: ["b"] }];
    await using place = await projectWith(chain);
    const { events } = await place.run(new ScriptedHost(() => passing));
    expect(events.length).toBeGreaterThan(20);
    for (let records = 1; records < events.length; records += 3) {
      await place.begin(chain);
      const disk: MemoryDisk = new Map();
      const { store, died } = crashingStore(disk, records);
      const before = new ScriptedHost(() => passing);
      void place.run(before, [], { store }).catch(() => undefined);
      await died;
      const after = new ScriptedHost(() => passing);
      const { status } = await place.run(after, [], { store: memoryStore(disk) });
      expect({ records, kind: status.kind }).toEqual({ records, kind: "done" });
      expect(await place.statuses()).toEqual({ a: "passing", b: "passing", c: "passing" });
      // What was being sent when it died is sent again, to the same session.
      const sessions = [...before.sent, ...after.sent].map(({ session }) => session);
      expect(new Set(sessions).size).toBe(3);
    }
  });

  test("stops after its last allowed session, and says what is left", async () => {
    await using place = await projectWith([{ id: "a" }, { id: "b" }, { id: "c" }]);
    expect(failureOf(await place.run(new ScriptedHost(() => passing), ["--max-iterations", "2"]))).toBe(
      "the loop stopped after 2 iterations, before it was done: max-iterations: 1 task left: c",
    );
    expect(await place.statuses()).toEqual({ a: "passing", b: "passing", c: "pending" });
  });

  test("without a task file says which one is missing", async () => {
    await using place = await projectWith([{ id: "a" }], "other.json");
    expect(failureOf(await place.run(new ScriptedHost(() => passing)))).toMatch(/^research\/tasks\.json/);
  });
});

describe("Ralph with a goal", () => {
  test("works in new sessions until the agent says that all is done", async () => {
    await using place = await projectWith();
    const host = new ScriptedHost(({ prompt }) =>
      prompt.includes("is iteration 3") ? "Checked.\n<promise>COMPLETE</promise>" : `Step ${Bun.hash(prompt)} is done.`,
    );
    const { result } = await place.run(host, ["--yolo", "Make the tests pass, all of them."]);
    expect(result.outputs.goal).toEqual({ iterations: 3, stopped: "signal", complete: true });
    expect(host.requests[0]?.prompt).toContain("\n\nMake the tests pass, all of them.\n\n");
    expect(host.requests[0]?.prompt).toMatchSnapshot();
    expect(new Set(host.sent.map(({ session }) => session)).size).toBe(3);
  });

  test("that it never reaches ends with the reason", async () => {
    await using place = await projectWith();
    const host = new ScriptedHost(({ path }) => `Something else at ${path}: when I am done I will say COMPLETE.`);
    expect(failureOf(await place.run(host, ["--yolo", "x", "--max-iterations", "2"]))).toBe(
      "the loop stopped after 2 iterations, before it was done: max-iterations",
    );
  });

  test("without progress ends before the limit", async () => {
    await using place = await projectWith();
    const host = new ScriptedHost(() => "I cannot do this.");
    expect(failureOf(await place.run(host, ["--yolo", "x"]))).toContain("no-progress");
    expect(host.sent).toHaveLength(3);
  });
});
