import { describe, expect, test } from "bun:test";
import { endedTurn, keyLine } from "../../src/hosts/copilot/events.ts";
import type { EventData, SdkEvent } from "../../src/hosts/copilot/sdk.ts";

function event(type: string, data: EventData = {}, more: Partial<SdkEvent> = {}): SdkEvent {
  return { type, data, ...more };
}

const asked = (content: string): SdkEvent => event("user.message", { content });
const keyed = (key: string): SdkEvent => event("session.info", { message: keyLine(key) });
const said = (content: string, toolRequests: unknown[] = []): SdkEvent =>
  event("assistant.message", { content, toolRequests });
const over = event("assistant.turn_end");
const tool = [
  event("tool.execution_start", { toolCallId: "c1", toolName: "view", arguments: { path: "a" } }),
  event("tool.execution_complete", { toolCallId: "c1", success: false, error: { message: "no such file" } }),
];

test("a turn with tools is reported as it was", () => {
  expect(endedTurn([asked("go"), said("I look", [{}]), ...tool, over, said("gone"), over], "go", undefined)).toEqual([
    { type: "text", text: "I look" },
    { type: "tool-started", id: "c1", tool: "read", input: { path: "a" } },
    { type: "tool-ended", id: "c1", tool: "read", ok: false, output: "no such file" },
    { type: "text", text: "gone" },
    { type: "end", text: "gone" },
  ]);
});

test("a subagent's text is not the reply", () => {
  const subagent = event("assistant.message", { content: "for the agent" }, { agentId: "helper" });
  const turn = endedTurn([asked("go"), said("", [{}]), subagent, said("gone"), over], "go", undefined);
  expect(turn).toEqual([
    { type: "text", text: "gone" },
    { type: "end", text: "gone" },
  ]);
});

test("a message that Copilot sends as the user belongs to the turn", () => {
  const skill = event("user.message", { content: "the skill", source: "skill-pdf" });
  expect(endedTurn([asked("go"), said("", [{}]), skill, said("gone"), over], "go", undefined)?.at(-1)).toEqual({
    type: "end",
    text: "gone",
  });
});

describe("a turn was cut off", () => {
  test.each<[string, SdkEvent[]]>([
    ["before anything was said", []],
    ["before a tool has ended", [said("I look", [{}]), ...tool.slice(0, 1)]],
    ["after a tool", [said("I look", [{}]), ...tool, over]],
    ["before its end was noted", [said("gone")]],
    ["by the user", [said("gone"), event("abort"), over]],
    ["by an error", [said("gone"), over, event("session.error", { message: "no" })]],
  ])("%s", (_how, events) => {
    expect(endedTurn([asked("go"), ...events], "go", undefined)).toBeUndefined();
  });
});

describe("with a key", () => {
  const history = [keyed("run/a"), event("session.title_changed"), asked("go"), said("first"), over];

  test("a prompt is found by it", () => {
    expect(endedTurn(history, "go", "run/a")?.at(-1)).toEqual({ type: "end", text: "first" });
    expect(endedTurn(history, "go", "run/b")).toBeUndefined();
  });

  test("a key belongs to the next prompt, and to no later one", () => {
    const later = [...history, asked("go"), said("second"), over];
    expect(endedTurn(later, "go", "run/a")?.at(-1)).toEqual({ type: "end", text: "first" });
  });

  test("the last attempt counts", () => {
    const again = [...history, keyed("run/a"), asked("go")];
    expect(endedTurn(again, "go", "run/a")).toBeUndefined();
  });
});
