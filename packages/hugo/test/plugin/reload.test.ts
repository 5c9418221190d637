import { expect, test } from "bun:test";
import type { HugoPluginClient } from "../../src/plugin/opencode.ts";
import { Reload } from "../../src/plugin/reload.ts";

interface Behavior {
  /** The sessions at work. */
  readonly busy?: Record<string, unknown>;
  /** What a dispose is answered with. */
  readonly error?: unknown;
  /** How often OpenCode comes back without the agents of its plugins. */
  readonly losses?: number;
  /** A session that starts while OpenCode disposes of the instance, and ends after it was listed once. */
  readonly latecomer?: string;
}

/** A fake OpenCode, and the calls it received. */
function opencode({ busy = {}, error, losses = 0, latecomer }: Behavior = {}) {
  const calls: string[] = [];
  const frames: string[] = [];
  let wake = (): void => undefined;
  const emit = (type: string, properties = {}): void => {
    frames.push(`data: ${JSON.stringify({ directory: "/work", payload: { type, properties } })}\n\n`);
    wake();
  };
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const frame = frames.shift();
      if (frame !== undefined) yield new TextEncoder().encode(frame);
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  let left = losses;
  let isLost = false;
  const client: HugoPluginClient = {
    _client: {
      get: async () => {
        emit("server.connected");
        return { data: stream() };
      },
    },
    session: {
      status: async () => {
        const data = { ...busy };
        if (latecomer !== undefined && latecomer in data) {
          calls.push(`${latecomer} is at work`);
          delete busy[latecomer];
          emit("session.idle", { sessionID: latecomer });
        }
        return { data };
      },
    },
    instance: {
      dispose: async ({ query }) => {
        calls.push(`dispose ${query.directory}`);
        if (latecomer !== undefined && calls.length === 1) busy[latecomer] = {};
        if (error !== undefined) return { error };
        isLost = left-- > 0;
        emit("server.instance.disposed");
        return { data: true };
      },
    },
    config: { get: async () => ({ data: { agent: { reviewer: {}, retired: { disable: true } }, permission: "ask" } }) },
    app: {
      agents: async () => ({ data: isLost ? [] : [{ name: "reviewer" }] }),
      log: async ({ body }) => {
        calls.push(`${body.level} ${body.message}`);
      },
    },
    tui: {
      showToast: async ({ body }) => {
        calls.push(`toast ${body.message}`);
      },
    },
    command: { list: async () => ({ data: [] }) },
    mcp: { status: async () => ({ data: {} }) },
  };
  return { calls, reload: new Reload({ directory: "/work", client }) };
}

const idle = (sessionID: string) => ({ type: "session.idle", properties: { sessionID } });

test("OpenCode reloads only on request, and never twice", async () => {
  const { calls, reload } = opencode();
  await reload.notice(idle("a"));
  expect(calls).toEqual([]);
  reload.request();
  await reload.notice({ type: "session.status", properties: { sessionID: "a" } });
  expect(calls).toEqual([]);
  await Promise.all([reload.notice(idle("a")), reload.notice(idle("a"))]);
  await reload.notice(idle("b"));
  expect(calls).toEqual(["dispose /work"]);
});

test("a reload waits for busy sessions", async () => {
  const busy: Record<string, unknown> = { a: {}, b: {} };
  const { calls, reload } = opencode({ busy });
  reload.request();
  // OpenCode may still list the one that has just ended.
  await reload.notice(idle("a"));
  expect(calls).toEqual([]);
  delete busy.a;
  await reload.notice(idle("b"));
  expect(calls).toEqual(["dispose /work"]);
});

test("a reload that fails is shown and logged", async () => {
  const { calls, reload } = opencode({ error: { name: "Unknown" } });
  reload.request();
  await reload.notice(idle("a"));
  const message = 'OpenCode could not be reloaded: {"name":"Unknown"}. Restart OpenCode.';
  expect(calls).toEqual(["dispose /work", `error ${message}`, `toast ${message}`]);
});

test("when OpenCode comes back without its plugins' agents, it is reloaded again", async () => {
  const { calls, reload } = opencode({ losses: 2 });
  reload.request();
  await reload.notice(idle("a"));
  expect(calls).toEqual(["dispose /work", "dispose /work", "dispose /work"]);
});

test("the second reload waits for sessions that have started meanwhile", async () => {
  const { calls, reload } = opencode({ losses: 1, latecomer: "b" });
  reload.request();
  await reload.notice(idle("a"));
  expect(calls).toEqual(["dispose /work", "b is at work", "dispose /work"]);
});

test("anything still missing after three attempts is named and needs a restart", async () => {
  const { calls, reload } = opencode({ losses: 9 });
  reload.request();
  await reload.notice(idle("a"));
  const message = 'OpenCode reloaded, but without agent "reviewer". Restart OpenCode.';
  const disposals = Array.from({ length: 3 }, () => "dispose /work");
  expect(calls).toEqual([...disposals, `error ${message}`, `toast ${message}`]);
});
