// What agents ask, between a graph and its host.
import { expect, test } from "bun:test";
import { agentNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { EventQueue } from "../../src/hosts/event-queue.ts";
import type { Host, HostEvent } from "../../src/hosts/host.ts";
import { type NodeHostOptions, nodeHostOf } from "../../src/hosts/node-host-of.ts";
import { type Script, scriptedHost } from "../../src/hosts/scripted.ts";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { PermanentError } from "../../src/run/step-errors.ts";
import { endedOf, engineFor, noEntities } from "../graph/run-graph.ts";
import { request, scripted, step } from "./node-host.ts";

const deleting: Script = async function* () {
  const outcome = yield { tool: "bash", detail: "rm -rf build", run: () => "gone" };
  yield { text: `${outcome?.ok}: ${outcome?.output}` };
};

test.each<[string, NodeHostOptions["permissions"], Json, string]>([
  ["the policy allows", "allow", null, "true: gone"],
  ["the policy denies", { bash: "deny" }, null, "false: This is not allowed here."],
  ["a person says yes", undefined, true, "true: gone"],
  ["a person says yes in a word", undefined, "Approve", "true: gone"],
  ["a person says no", undefined, false, "false: This is not allowed here."],
  ["a person says no with a reason", undefined, { answer: "deny", reason: "keep it" }, "false: keep it"],
  ["a person says something else", undefined, "not before noon", "false: not before noon"],
  ["a person says what every object has", undefined, "constructor", "false: constructor"],
  ["a person says nothing at all", undefined, null, "false: This is not allowed here."],
])("%s: the agent continues accordingly", async (_name, permissions, said, expected) => {
  const { host } = scripted(deleting, permissions === undefined ? {} : { permissions });
  const questions: Json[] = [];
  const { info } = step({
    ask: async (about) => {
      questions.push(about);
      return said;
    },
  });
  const { text } = await host.send(request, await host.open(request, info), info);
  expect(text).toBe(expected);
  const about = { type: "permission", host: "scripted", path: "fan.1/work", tool: "bash", detail: "rm -rf build" };
  expect(questions).toEqual(permissions === undefined ? [about] : []);
});

test("the whole command is shown, however long it is", async () => {
  const commands = ["a", "b"].map((end) => `${"echo x; ".repeat(1_000)}rm -rf ${end}`);
  const { host } = scripted(async function* () {
    for (const detail of commands) yield { tool: "bash", detail };
    yield { text: "done" };
  });
  const { info, questions } = step();
  await host.send(request, await host.open(request, info), info);
  expect(questions.map((about) => (about as { detail: string }).detail)).toEqual(commands);
});

test("denies what is too long to show for approval, and says why", async () => {
  const { host } = scripted(async function* () {
    const outcome = yield { tool: "bash", detail: "x".repeat(50_000), run: () => "done" };
    yield { text: outcome?.ok ? "done" : `denied: ${outcome?.output}` };
  });
  const tooLarge = new PermanentError("ask about less", { code: "question-too-large" });
  const { info, notes } = step({ ask: () => Promise.reject(tooLarge) });
  const { text } = await host.send(request, await host.open(request, info), info);
  expect(text).toMatch(/^denied: .*50000 characters, too many to show/);
  expect(notes).toContainEqual({ type: "permission-denied", tool: "bash", reason: expect.stringContaining("50000") });
});

test("a question that cannot be asked ends the turn with that failure", async () => {
  const { host, asked } = scripted(deleting);
  const { info } = step({ ask: () => Promise.reject(new Error("the question is too long")) });
  const session = await host.open(request, info);
  expect(await host.send(request, session, info).catch((error: Error) => error.message)).toBe(
    "the question is too long",
  );
  expect(asked[0]?.signal.aborted).toBe(true);
});

test("a turn that ends while a person is asked does not wait for the answer", async () => {
  // As if the user had answered at the agent's own terminal.
  const impatient: Host = {
    ...scriptedHost(),
    create: async (options) => ({
      ...(await scriptedHost().create(options)),
      id: "x",
      async *send() {
        yield { type: "permission", id: "1", tool: "bash", detail: "ls", answer: async () => undefined };
        yield { type: "end", text: "answered elsewhere" };
      },
    }),
  };
  const host = nodeHostOf({ hosts: { x: async () => impatient }, default: "x", folder: "/project" });
  const { info } = step({ ask: () => new Promise(() => undefined) });
  expect(await host.send(request, await host.open(request, info), info)).toEqual({ text: "answered elsewhere" });
});

test("what an agent asked just before it was stopped is no longer allowed", async () => {
  const controller = new AbortController();
  const answers: string[] = [];
  const late: Host = {
    ...scriptedHost(),
    create: async (options) => ({
      ...(await scriptedHost().create(options)),
      id: "x",
      dispose: async () => undefined,
      send() {
        const events = new EventQueue<HostEvent>();
        const answer = async (given: string): Promise<void> => void answers.push(given);
        events.push({ type: "permission", id: "1", tool: "bash", detail: "rm -rf build", answer });
        controller.abort(new Error("the run was cancelled"));
        events.fail(controller.signal.reason);
        return events;
      },
    }),
  };
  const hosts = { x: async () => late };
  const host = nodeHostOf({ hosts, default: "x", folder: "/project", permissions: "allow" });
  const { info } = step({ signal: controller.signal });
  const session = await host.open(request, info);
  expect(await host.send(request, session, info).catch((error: unknown) => error)).toBe(controller.signal.reason);
  expect(answers).toEqual([]);
});

test("in a run, an answer from elsewhere lets the agent continue", async () => {
  const { host } = scripted(deleting);
  const compiled = graph({ name: "tidy" })
    .start(agentNode({ id: "tidy", prompt: "tidy up" }))
    .compile(noEntities);
  const engine = engineFor(compiled, { host });
  await engine.start({ runId: "run", graph: compiled.json, input: null });
  const run = await engine.run("run");
  for await (const event of run) {
    if (event.type !== "wait-started") continue;
    expect(event.about).toMatchObject({ type: "permission", path: "tidy", tool: "bash", detail: "rm -rf build" });
    await engine.signal("run", event.key, "yes");
  }
  const { result } = await endedOf(engine, "run", await run.ended);
  expect(result.outputs.tidy).toBe("true: gone");
});

test("`always` counts for that use of the tool in the rest of the run, and after a crash", async () => {
  const disk: MemoryDisk = new Map();
  const asked: string[] = [];
  const live = async (dies: boolean): Promise<string> => {
    const { host } = scripted(async function* () {
      for (const detail of ["git push", "git push --tags", "git pull"]) yield { tool: "bash", detail };
    });
    const compiled = graph({ name: "ship" })
      .start(agentNode({ id: "one", prompt: "ship" }))
      .then(agentNode({ id: "two", prompt: "ship" }))
      .then(agentNode({ id: "three", prompt: "ship" }))
      .compile(noEntities);
    const store = memoryStore(disk);
    const engine = engineFor(compiled, { host, store });
    await engine.start({ runId: "run", graph: compiled.json, input: null });
    const run = await engine.run("run");
    for await (const event of run) {
      if (event.type !== "wait-started") continue;
      const { path, detail } = event.about as { path: string; detail: string };
      asked.push(`${path}: ${detail}`);
      if (dies && path === "two") {
        store.crash();
        return "died";
      }
      await engine.signal("run", event.key, detail === "git push" ? "always" : "no");
    }
    return (await run.ended).kind;
  };
  expect([await live(true), await live(false)]).toEqual(["died", "done"]);
  expect(asked).toEqual(["one: git push", "one: git pull", "two: git pull", "two: git pull", "three: git pull"]);
});
