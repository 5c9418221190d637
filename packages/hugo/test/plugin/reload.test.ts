import { expect, test } from "bun:test";
import type { OpencodeClient } from "../../src/plugin/opencode.ts";
import { Reload } from "../../src/plugin/reload.ts";

/** An OpenCode with these sessions at work, and what it was told. */
function opencode(busy: Record<string, unknown>, error?: unknown) {
  const told: string[] = [];
  const client: OpencodeClient = {
    session: { status: async () => ({ data: busy }) },
    instance: {
      dispose: async ({ query }) => {
        told.push(`dispose ${query.directory}`);
        return { ...(error !== undefined && { error }) };
      },
    },
    app: {
      log: async ({ body }) => {
        told.push(`${body.level} ${body.message}`);
      },
    },
  };
  return { told, reload: new Reload({ directory: "/work", client }) };
}

const idle = (sessionID: string) => ({ type: "session.idle", properties: { sessionID } });

test("nothing is reloaded that nobody wanted to, and nothing twice", async () => {
  const { told, reload } = opencode({});
  await reload.notice(idle("a"));
  expect(told).toEqual([]);
  reload.request();
  await reload.notice({ type: "session.status", properties: { sessionID: "a" } });
  expect(told).toEqual([]);
  await Promise.all([reload.notice(idle("a")), reload.notice(idle("a"))]);
  await reload.notice(idle("b"));
  expect(told).toEqual(["dispose /work"]);
});

test("sessions that are at work are waited for", async () => {
  const busy: Record<string, unknown> = { a: {}, b: {} };
  const { told, reload } = opencode(busy);
  reload.request();
  // OpenCode may still list the one that has just ended.
  await reload.notice(idle("a"));
  expect(told).toEqual([]);
  delete busy.a;
  await reload.notice(idle("b"));
  expect(told).toEqual(["dispose /work"]);
});

test("a reload that fails is in OpenCode's log", async () => {
  const { told, reload } = opencode({}, { name: "Unknown" });
  reload.request();
  await reload.notice(idle("a"));
  expect(told).toEqual(["dispose /work", 'error OpenCode could not be reloaded, restart it: {"name":"Unknown"}']);
});
