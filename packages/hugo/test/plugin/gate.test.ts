import { expect, test } from "bun:test";
import { Gate } from "../../src/plugin/gate.ts";
import type { ToolPermissionRequest } from "../../src/plugin/opencode.ts";
import { AskedCalls, settingsFor } from "../../src/plugin/permission-rules.ts";
import { askingTools } from "../../src/plugin/tools.ts";

const [tool] = askingTools;
const topic = { subjects: ["a", "b"], command: "hugo install a b" };

/** A gate before an OpenCode that answers so. */
function gateBefore(
  answer: (request: ToolPermissionRequest, asked: AskedCalls) => Promise<void>,
  { permission, abort = new AbortController().signal }: { permission?: unknown; abort?: AbortSignal } = {},
): Gate {
  const asked = new AskedCalls();
  const call = { callID: "1", directory: "/", abort, ask: (request: ToolPermissionRequest) => answer(request, asked) };
  return new Gate({ tool: tool!, call, asked, settings: settingsFor(askingTools, permission) });
}

function question(callID: unknown): { type: string; properties: object } {
  return { type: "permission.asked", properties: { tool: { callID } } };
}

test("a yes counts if the user was asked about this very call", async () => {
  let seen: ToolPermissionRequest | undefined;
  const gate = gateBefore(async (request, asked) => {
    seen = request;
    asked.notice(question("1"));
  });
  expect(await gate.ask("Install a\n", topic)).toBe(true);
  expect(seen).toEqual({
    permission: "hugo_install: Install a",
    patterns: ["a\nInstall a", "b"],
    always: [],
    metadata: { report: "Install a" },
  });
});

test.each([
  ["the user was not asked", undefined],
  ["the user was asked about another call", question("2")],
  ["an event of another kind came", { type: "permission.replied", properties: { tool: { callID: "1" } } }],
  ["an event says nothing", { type: "permission.asked" }],
])("a yes does not count if %s", async (_, event) => {
  const gate = gateBefore(async (_request, asked) => event && asked.notice(event));
  expect(await gate.ask("Install a", topic)).toBe(false);
  expect([...gate.refusals]).toEqual([
    "A permission rule let hugo_install run without asking the user, but it needs the user's approval. The user can run `hugo install a b` in a terminal and approve it there.",
  ]);
});

test("an answer of before does not count for the next question", async () => {
  let isFirst = true;
  const gate = gateBefore(async (_request, asked) => {
    if (isFirst) asked.notice(question("1"));
    isFirst = false;
  });
  expect([await gate.ask("a", topic), await gate.ask("b", topic)]).toEqual([true, false]);
});

test("a tool that the user has allowed by name needs no question", async () => {
  const gate = gateBefore(async () => undefined, { permission: { hugo_install: "allow" } });
  expect(await gate.ask("Install a", topic)).toBe(true);
});

test.each([
  [{ _tag: "PermissionRejectedError" }, /^The user did not approve\. .*`hugo install a b` in a terminal/],
  [{ _tag: "PermissionCorrectedError", feedback: "later\n\u001b[1m" }, /said: later \\x1b\[1m$/],
  [{ _tag: "PermissionDeniedError" }, /^The user's permission rules deny hugo_install\.$/],
])("%j is a rejection with a reason", async (error, reason) => {
  const gate = gateBefore(() => Promise.reject(error));
  expect(await gate.ask("Install a", topic)).toBe(false);
  expect([...gate.refusals]).toEqual([expect.stringMatching(reason)]);
});

test("an invalid answer does not count as an answer", async () => {
  const gate = gateBefore(() => Promise.reject(new Error("broken")));
  await expect(gate.ask("Install a", topic)).rejects.toThrow("broken");
});

test("the end of the turn is a rejection, before and during the question", async () => {
  const turn = new AbortController();
  const gate = gateBefore(() => new Promise(() => turn.abort()), { abort: turn.signal });
  expect([await gate.ask("a", topic), await gate.ask("b", topic)]).toEqual([false, false]);
  expect([...gate.refusals]).toEqual(["The turn ended before the user answered."]);
});
