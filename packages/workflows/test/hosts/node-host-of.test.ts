import { expect, test } from "bun:test";
import { EventQueue } from "../../src/hosts/event-queue.ts";
import { type Host, HostError, type HostEvent } from "../../src/hosts/host.ts";
import { nodeHostOf } from "../../src/hosts/node-host-of.ts";
import { type ScriptedStore, scriptedHost } from "../../src/hosts/scripted.ts";
import type { Json } from "../../src/run/json.ts";
import { entity } from "../entities.ts";
import { request, scripted, step } from "./node-host.ts";

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
