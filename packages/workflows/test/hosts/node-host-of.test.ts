import { expect, test } from "bun:test";
import { fakeClock, quiet } from "@atomic/testing/simulation/clock";
import { agentNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { interpreterOf } from "../../src/graph/interpret/interpret.ts";
import type { PromptRequest } from "../../src/graph/services.ts";
import { EventQueue } from "../../src/hosts/event-queue.ts";
import { type Host, HostError, type HostEvent } from "../../src/hosts/host.ts";
import { type NodeHostOptions, nodeHostOf } from "../../src/hosts/node-host-of.ts";
import { type Script, type ScriptedPrompt, type ScriptedStore, scriptedHost } from "../../src/hosts/scripted.ts";
import type { Usage } from "../../src/run/budget.ts";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";
import { PermanentError } from "../../src/run/step-errors.ts";
import { entity } from "../entities.ts";
import { endedOf, engineFor, noEntities, runGraph } from "../graph/run-graph.ts";

const request: PromptRequest = { runId: "run", path: "fan.1/work", prompt: "do it", keep: true };

/** What a step receives, and what it has reported. */
function step(more: Partial<StepInfo> = {}) {
  const notes: Json[] = [];
  const spent: Usage[] = [];
  const questions: Json[] = [];
  const info: StepInfo = {
    folder: "",
    attempt: 1,
    idemKey: "run/fan.1/work",
    countedBefore: { usd: 0, tokens: 0 },
    signal: new AbortController().signal,
    note: (note) => void notes.push(note),
    spend: (usage) => void spent.push(usage),
    ask: async (about) => {
      questions.push(about);
      return true;
    },
    ...more,
  };
  return { info, notes, spent, questions };
}

function scripted(script: Script, more: Partial<NodeHostOptions> & { store?: ScriptedStore } = {}) {
  const { store = new Map(), ...options } = more;
  const asked: ScriptedPrompt[] = [];
  const recorded: Script = (prompt) => {
    asked.push(prompt);
    return script(prompt);
  };
  const hosts = { scripted: async () => scriptedHost({ script: recorded, store }) };
  return { asked, host: nodeHostOf({ hosts, default: "scripted", folder: "/project", ...options }) };
}

test("a prompt returns the last message, with notes and its cost", async () => {
  const { host } = scripted(
    async function* () {
      yield { text: "thinking " };
      yield { usage: { usd: 0.5, inputTokens: 10 } };
      yield { tool: "bash", input: { command: "ls" }, detail: "ls", run: () => "a.txt" };
      yield { usage: { usd: 0.25 } };
      yield { text: "done" };
    },
    { permissions: "allow" },
  );
  const { info, notes, spent } = step();
  const session = await host.open(request, info);
  expect(Object.keys(session as object)).toEqual(["host", "id"]);
  expect(await host.send(request, session, info)).toEqual({ text: "done", usd: 0.75 });
  expect(spent).toEqual([{ usd: 0.5, inputTokens: 10 }, { usd: 0.25 }]);
  expect(notes).toEqual([
    { type: "prompt", text: "do it" },
    { type: "text", text: "thinking " },
    { type: "tool-started", id: "call-2", tool: "bash", input: { command: "ls" } },
    { type: "tool-ended", id: "call-2", tool: "bash", ok: true, output: "a.txt" },
    { type: "text", text: "done" },
  ]);
});

test("a turn that fails still reports its cost", async () => {
  const failing: Host = {
    ...scriptedHost(),
    create: async (options) => ({
      ...(await scriptedHost().create(options)),
      id: "x",
      dispose: async () => undefined,
      send() {
        // All at once, as when a program says what it has used and then ends.
        const events = new EventQueue<HostEvent>();
        for (const usd of [0.5, 0.25]) events.push({ type: "usage", usage: { usd } });
        events.fail(new Error("the lamp went out"));
        return events;
      },
    }),
  };
  const host = nodeHostOf({ hosts: { x: async () => failing }, default: "x", folder: "/project" });
  const { info, spent } = step();
  const session = await host.open(request, info);
  expect(await host.send(request, session, info).catch((error: Error) => error.message)).toContain("lamp went out");
  expect(spent).toEqual([{ usd: 0.5 }, { usd: 0.25 }]);
});

test("agent, model, system prompt and tools reach the host, without what is denied", async () => {
  const { host, asked } = scripted(() => "ok", { permissions: { webfetch: "deny" } });
  const reviewer = entity("reviewer", "claude:project", { type: "agent", prompt: "Review.", description: "Reviews" });
  const { info } = step();
  const wanted = { ...request, agent: reviewer, model: "big", system: "Be brief.", tools: ["read"], keep: false };
  await host.send(wanted, await host.open(wanted, info), info);
  expect(asked[0]?.options).toEqual({
    folder: "/project",
    title: "run fan.1/work",
    model: "big",
    system: "Be brief.",
    tools: ["read"],
    deny: ["webfetch"],
    denyHelpers: expect.arrayContaining(["*", "bash", "webfetch"]),
    agent: { name: "reviewer", description: "Reviews", prompt: "Review." },
  });
});

test("nodes that share a session may differ in agent and tools", async () => {
  const { host, asked } = scripted(() => "ok");
  const { info } = step();
  const session = await host.open(request, info);
  await host.send(request, session, info);
  await host.send({ ...request, prompt: "and now", tools: ["read"] }, session, info);
  expect(asked.map(({ options, history }) => [options.tools, history.length])).toEqual([
    [undefined, 0],
    [["read"], 1],
  ]);
});

test("a later attempt finds the finished turn and does not ask again", async () => {
  const store: ScriptedStore = new Map();
  const first = scripted(() => "the answer", { store });
  const { info } = step();
  const session = await first.host.open(request, info);
  await first.host.send(request, session, info);
  // Another process, after a crash between the answer and its record.
  const second = scripted(() => "never", { store });
  expect(await second.host.send(request, session, step({ attempt: 2 }).info)).toEqual({ text: "the answer" });
  expect(second.asked).toEqual([]);
});

test("a later attempt resends a prompt that was cut off or belongs to another step", async () => {
  let fails = true;
  const { host, asked } = scripted(() => {
    if (fails) throw new Error("the lamp went out");
    return "light";
  });
  const { info } = step();
  const session = await host.open(request, info);
  expect(await host.send(request, session, info).catch((error: Error) => error.message)).toContain("lamp went out");
  fails = false;
  expect(await host.send(request, session, step({ attempt: 2 }).info)).toEqual({ text: "light" });
  expect(await host.send(request, session, step({ attempt: 2, idemKey: "run/next" }).info)).toEqual({ text: "light" });
  expect(asked).toHaveLength(3);
});

test("a session that is gone is replaced, and the reply says so", async () => {
  const { host } = scripted(() => "anew");
  const { info, notes } = step({ attempt: 2 });
  const gone = { host: "scripted", id: "of-another-life" };
  const { text, session } = await host.send(request, gone, info);
  expect(text).toBe("anew");
  expect(session).not.toEqual(gone);
  expect(notes[0]).toMatchObject({ type: "session-replaced", instead: "of-another-life" });
  expect(await host.send(request, session as Json, step().info)).toEqual({ text: "anew" });
});

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
  // As when somebody has answered at the agent's own terminal.
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

test("the step's signal stops the agent", async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const { host } = scripted(({ signal }) => {
    begun.resolve(signal);
    return new Promise(() => undefined);
  });
  const controller = new AbortController();
  const { info } = step({ signal: controller.signal });
  const reply = host.send(request, await host.open(request, info), info).catch((error: unknown) => error);
  const agent = await begun.promise;
  const reason = new Error("the run was cancelled");
  controller.abort(reason);
  expect(await reply).toBe(reason);
  expect(agent.aborted).toBe(true);
});

test("an unknown host, or one that is not installed, is not retried", async () => {
  const missing = async (): Promise<Host> => {
    throw new HostError("host-missing", { host: "x", message: "x is not installed.", hint: "Run `npm install x`." });
  };
  const host = nodeHostOf({ hosts: { x: missing }, default: "x", folder: "/project" });
  const { info } = step();
  const failures = [request, { ...request, host: "y" }].map((each) =>
    host.open(each, info).catch((error: unknown) => error),
  );
  expect(await Promise.all(failures)).toMatchObject([
    { name: "PermanentError", code: "host-missing", message: "x is not installed.", hint: "Run `npm install x`." },
    { name: "PermanentError", code: "host-missing", message: 'There is no host "y". Known hosts: x.' },
  ]);
});

test("refuses what is not a session, and closes a session that is gone", async () => {
  const { host } = scripted(() => "ok");
  const { info } = step();
  expect(await host.send(request, "nonsense", info).catch((error: Error) => error.message)).toContain(
    "not a host session",
  );
  await host.close({ host: "scripted", id: "gone" }, info);
});

test("dispose ends the hosts that were made, and makes no others", async () => {
  const ended: string[] = [];
  const make = (name: string) => async (): Promise<Host> => ({
    ...scriptedHost(),
    dispose: async () => void ended.push(name),
  });
  const host = nodeHostOf({ hosts: { a: make("a"), b: make("b") }, default: "a", folder: "/project" });
  await host.open(request, step().info);
  await host.dispose();
  expect(ended).toEqual(["a"]);
});

test("dispose closes the sessions that graphs kept, and then their hosts, even if one fails to close", async () => {
  const ended: string[] = [];
  const inner = scriptedHost();
  const noted: Host = {
    ...inner,
    create: async (options) => {
      const session = await inner.create(options);
      const name = options.title ?? "";
      const dispose = async (): Promise<void> => {
        ended.push(name);
        if (name === "run stuck") throw new Error("it does not let go");
      };
      return {
        id: session.id,
        send: (...turn) => session.send(...turn),
        reattach: async () => undefined,
        abort: async () => undefined,
        dispose,
      };
    },
    dispose: async () => void ended.push("host"),
  };
  const host = nodeHostOf({ hosts: { noted: async () => noted }, default: "noted", folder: "/project" });
  const { info } = step();
  for (const [path, keep] of [
    ["kept", true],
    ["once", false],
    ["stuck", true],
  ] as const) {
    const asked = { ...request, path, keep };
    await host.send(asked, await host.open(asked, info), info);
  }
  expect(ended).toEqual(["run once"]);
  expect(await host.dispose().catch((error: Error) => error.message)).toBe("it does not let go");
  expect(ended).toEqual(["run once", "run kept", "run stuck", "host"]);
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

/** A host whose turns are these events, sent or found again. */
function hostOf(turn: () => AsyncIterable<HostEvent>): Host {
  const session = async (options: Parameters<Host["create"]>[0]) => ({
    ...(await scriptedHost().create(options)),
    id: "x",
    dispose: async () => undefined,
    send: turn,
    reattach: async () => turn(),
  });
  return { ...scriptedHost(), create: session, resume: (_id, options) => session(options) };
}

test("a turn that is found again counts what the process before has not counted", async () => {
  const found = hostOf(async function* () {
    yield { type: "usage", usage: { usd: 0.5, inputTokens: 10, outputTokens: 5 } };
    yield { type: "usage", usage: { usd: 0.25, inputTokens: 20, outputTokens: 7 } };
    yield { type: "end", text: "done" };
  });
  const host = nodeHostOf({ hosts: { x: async () => found }, default: "x", folder: "/project" });
  const session = { host: "x", id: "x" };
  const counts = async (attempt: number, countedBefore: StepInfo["countedBefore"]) => {
    const { info, spent } = step({ attempt, countedBefore });
    // The reply has the whole cost.
    expect(await host.send(request, session, info)).toMatchObject({ text: "done", usd: 0.75 });
    return spent.map(({ usd = 0, inputTokens = 0, outputTokens = 0 }) => [usd, inputTokens, outputTokens]);
  };
  const all = [
    [0.5, 10, 5],
    [0.25, 20, 7],
  ];
  expect(await counts(1, { usd: 0.5, tokens: 15 })).toEqual(all);
  expect(await counts(2, { usd: 0, tokens: 0 })).toEqual(all);
  expect(await counts(2, { usd: 0.5, tokens: 12 })).toEqual([
    [0, 0, 3],
    [0.25, 20, 7],
  ]);
  expect(await counts(2, { usd: 9, tokens: 99 })).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

test("what would fail the same way again is not tried again", async () => {
  const attempts = { refused: 0, broken: 0 };
  const failing = (name: keyof typeof attempts, isPermanent: boolean): Host =>
    // biome-ignore lint/correctness/useYield: it fails before it says anything
    hostOf(async function* () {
      attempts[name] += 1;
      throw new HostError("prompt-failed", { host: name, message: "no", hint: "Log in.", isPermanent });
    });
  const hosts = { refused: async () => failing("refused", true), broken: async () => failing("broken", false) };
  for (const name of ["refused", "broken"] as const) {
    const host = nodeHostOf({ hosts, default: name, folder: "/project" });
    const work = agentNode({ id: "work", prompt: "go", retry: { maxAttempts: 3, backoffMs: 1 } });
    const { status } = await runGraph(graph({ name: "g" }).start(work).compile(noEntities), { host });
    expect(status).toMatchObject({ kind: "failed", error: { code: "prompt-failed", hint: "Log in." } });
  }
  expect(attempts).toEqual({ refused: 1, broken: 3 });
});

test("a host that starts, and one that asks its provider again, say so", async () => {
  const slow = hostOf(async function* () {
    yield { type: "retrying", reason: "Overloaded" };
    yield { type: "end", text: "done" };
  });
  const host = nodeHostOf({ hosts: { x: async () => slow }, default: "x", folder: "/project" });
  const { info, notes } = step();
  await host.send(request, await host.open(request, info), info);
  await host.send(request, { host: "x", id: "x" }, info);
  expect(notes.filter((note) => (note as { type: string }).type !== "prompt")).toEqual([
    { type: "host-starting", host: "x" },
    { type: "retrying", reason: "Overloaded" },
    { type: "retrying", reason: "Overloaded" },
  ]);
});

test("a host that says nothing for half an hour has failed, unless the node or the program says otherwise", async () => {
  const silent = hostOf(async function* () {
    yield { type: "text", text: "well" };
    await new Promise(() => undefined);
  });
  const host = nodeHostOf({ hosts: { x: async () => silent }, default: "x", folder: "/project" });
  const failsAfter = async (node: { idleTimeoutMs?: number }, services: { idleTimeoutMs?: number }) => {
    const clock = fakeClock();
    const compiled = graph({ name: "g" })
      .start(agentNode({ id: "work", prompt: "go", ...node }))
      .compile(noEntities);
    const interpret = interpreterOf(compiled, noEntities, { host, ...services });
    const engine = memoryEngine({ interpret, clock });
    await engine.start({ runId: "run", graph: compiled.json, input: null });
    const run = await engine.run("run");
    await quiet();
    await clock.runAll();
    expect(await run.ended).toMatchObject({ kind: "failed", error: { key: "work", code: "idle-timeout" } });
    return clock.monotonic();
  };
  expect(await failsAfter({}, {})).toBe(30 * 60_000);
  expect(await failsAfter({}, { idleTimeoutMs: 5_000 })).toBe(5_000);
  expect(await failsAfter({ idleTimeoutMs: 3_600_000 }, { idleTimeoutMs: 5_000 })).toBe(3_600_000);
});

test("a budget in dollars for a model without a price is reported once, before the first prompt", async () => {
  const said: string[] = [];
  const unpriced = {
    ...hostOf(async function* () {
      said.push("prompt");
      yield { type: "end", text: "done" };
    }),
    name: "x",
    modelWithoutPrice: async ({ model }: { model?: string }) => (model === "dear" ? undefined : (model ?? "default")),
  };
  const notesWith = async (needsPrice: boolean, requests: readonly Partial<PromptRequest>[]) => {
    const host = nodeHostOf({ hosts: { x: async () => unpriced }, default: "x", folder: "/project", needsPrice });
    const notes: Json[] = [];
    const note = (each: Json): void => {
      notes.push(each);
      if ((each as { type: string }).type !== "prompt") said.push("note");
    };
    const { info: reported } = step({ note });
    for (const more of requests) {
      const asked = { ...request, ...more };
      await host.send(asked, await host.open(asked, reported), reported);
    }
    return notes.filter((each) => (each as { type: string }).type === "no-price");
  };
  expect(await notesWith(false, [{}])).toEqual([]);
  said.length = 0;
  expect(await notesWith(true, [{}, {}, { model: "free" }, { model: "dear" }])).toEqual([
    { type: "no-price", host: "x", model: "default" },
    { type: "no-price", host: "x", model: "free" },
  ]);
  expect(said.slice(0, 3)).toEqual(["note", "note", "prompt"]);
  expect(await notesWith(false, [{ needsPrice: true }])).toEqual([{ type: "no-price", host: "x", model: "default" }]);
});
