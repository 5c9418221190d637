// With a client that records what it is told, and a clock that the test moves. The real OpenCode is in turn.test.ts.
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { backgroundOf, readyBackgroundOf } from "../../../src/plugin/background/loaded.ts";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import type { RunLookup } from "../../../src/plugin/live/project-runs.ts";
import { todoContinuation } from "../../../src/plugin/turn/todo-continuation.ts";
import type { TurnHook } from "../../../src/plugin/turn/turn-hook.ts";
import { resume } from "../../../src/run/person-actions.ts";
import { anna } from "../../run/simulated-run.ts";
import { started } from "../live/opencode-client.ts";

const session = "ses_root";
const todos = [
  { content: "build it", status: "pending" },
  { content: "plan it", status: "completed" },
];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "magnus ü "));
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  rmSync(folder, { recursive: true });
});

interface Prompt {
  readonly path: { readonly id: string };
  readonly body: { readonly agent?: string; readonly parts: readonly { readonly text: string }[] };
}

/** A session whose agent has just stopped with an open todo; the countdown is running. `before`: what else is going on. */
async function stopped(said = "So far.", parentID?: string, before?: (magnus: Magnus) => Promise<void>) {
  const prompts: Prompt[] = [];
  const shown: string[] = [];
  const client = {
    app: { log: async () => ({}) },
    tui: { showToast: async ({ body }: { body: { message: string } }) => void shown.push(body.message) },
    session: {
      get: async () => ({ data: { id: session, parentID } }),
      messages: async () => ({
        data: [
          { info: { role: "user", agent: "build" }, parts: [] },
          { info: { role: "assistant" }, parts: [{ type: "text", text: said }] },
        ],
      }),
      status: async () => ({ data: {} }),
      promptAsync: async (prompt: Prompt) => ({ data: void prompts.push(prompt) }),
    },
  };
  const context = { directory: folder, worktree: folder, client } as unknown as PluginContext;
  const magnus = new Magnus(context);
  // Locks and journals need the real clock.
  jest.useRealTimers();
  await before?.(magnus);
  jest.useFakeTimers();
  const hook = todoContinuation(magnus) as Required<TurnHook>;
  hook.onEvent("todo.updated", { sessionID: session, todos });
  const idle = async () => {
    hook.onEvent("session.idle", { sessionID: session });
    await settled();
  };
  const pass = async () => {
    jest.advanceTimersByTime(60_000);
    await settled();
    return prompts.length;
  };
  await idle();
  return { hook, prompts, shown, idle, pass, magnus };
}

/** All that waits for nothing but the client has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

const typed = (text: string) => ({ session, agent: "build", model: undefined, typed: text });

test("after the countdown, the agent is told which todos are open, and keeps its name", async () => {
  const { prompts, shown, pass } = await stopped();
  expect(prompts).toEqual([]);
  expect(shown).toEqual(["build has 1 open todo and continues in 5 s unless you write something."]);
  expect(await pass()).toBe(1);
  expect(prompts[0]).toMatchObject({ path: { id: session }, body: { agent: "build" } });
  expect(prompts[0]?.body.parts[0]?.text).toContain("1 of your 2 todos are still open:\n\n- build it\n");
});

test.each<[string, (hook: Required<TurnHook>) => unknown]>([
  ["a message", (hook) => hook.onMessage(typed("wait"))],
  ["a command", (hook) => hook.onEvent("command.executed", { sessionID: session })],
  ["work in the session", (hook) => hook.onEvent("session.status", { sessionID: session, status: { type: "busy" } })],
  ["Esc, or an error", (hook) => hook.onEvent("session.error", { sessionID: session })],
  ["a dismissed question", (hook) => hook.onEvent("question.rejected", { sessionID: session })],
  ["a rejected prompt", (hook) => hook.onEvent("permission.replied", { sessionID: session, reply: "reject" })],
  ["the end of the session", (hook) => hook.forget(session)],
  ["the end of OpenCode", (hook) => hook.close()],
])("%s cancels the countdown, and no timer is left", async (_, act) => {
  const { hook, pass } = await stopped();
  await act(hook);
  expect(jest.getTimerCount()).toBe(0);
  expect(await pass()).toBe(0);
});

test("after Esc nothing continues until a person writes", async () => {
  const { hook, idle, pass } = await stopped();
  hook.onEvent("session.error", { sessionID: session });
  await idle();
  expect(await pass()).toBe(0);
  await hook.onMessage(typed(""));
  await idle();
  expect(await pass()).toBe(0);
  await hook.onMessage(typed("go on"));
  await idle();
  expect(await pass()).toBe(1);
});

test("other sessions do not matter", async () => {
  const { hook, pass } = await stopped();
  hook.onEvent("session.error", { sessionID: "ses_other" });
  hook.onEvent("session.idle", { sessionID: "ses_other" });
  expect(await pass()).toBe(1);
});

test("neither a question nor a child session starts a countdown", async () => {
  expect(await (await stopped("Shall I?")).pass()).toBe(0);
  expect(await (await stopped("Done.", "ses_parent")).pass()).toBe(0);
});

test.each([
  [["build"], 0],
  [["plan"], 1],
] as const)("with skipAgents %j, an agent build is told to continue %d times", async (skipAgents, times) => {
  mkdirSync(join(folder, ".opencode"));
  writeFileSync(join(folder, ".opencode/magnus-opus.json"), JSON.stringify({ todoContinuation: { skipAgents } }));
  expect(await (await stopped()).pass()).toBe(times);
});

test("while a run waits for you, its session is not told to continue", async () => {
  const { idle, pass, magnus } = await stopped("So far.", undefined, async (each) => {
    const run = await each.runs.start(started(each));
    await run.record({ type: "paused", reason: "command", detail: "you stopped it" });
  });
  expect(await pass()).toBe(0);
  jest.useRealTimers();
  const { run } = (await magnus.runs.of(session)) as Extract<RunLookup, { kind: "driven" }>;
  const resumed = resume(run.state, { by: anna, at: Date.now() });
  if (resumed.ok) await run.append(resumed.event);
  jest.useFakeTimers();
  await idle();
  expect(await pass()).toBe(1);
  await magnus.runs.close();
});

test("while background tasks work for it, a session is not told to continue", async () => {
  const { prompts, pass, magnus } = await stopped("So far.", undefined, async (each) => {
    const background = await backgroundOf(each);
    const start = { id: "ses_task", turn: 1, parent: session, root: session, depth: 1, agent: "explorer", after: "" };
    const by = { agent: "build", model: undefined };
    const body = { agent: "explorer", model: undefined, variant: undefined, system: undefined, parts: [] };
    await background.launch({ ...start, description: "look", model: "" }, body, { isAwaited: false, by });
  });
  await pass();
  expect(prompts.filter(({ path }) => path.id === session)).toEqual([]);
  jest.useRealTimers();
  await readyBackgroundOf(magnus)?.close();
});
