import { describe, expect, test } from "bun:test";
import type { ContentBlock, TranscriptMessage } from "../../src/hosts/claude/sdk.ts";
import { attemptsAt, endedTurn, promptId } from "../../src/hosts/claude/transcript.ts";

function said(content: string | ContentBlock[], more: Partial<TranscriptMessage> = {}): TranscriptMessage {
  return { type: "user", uuid: "u", parent_tool_use_id: null, message: { content }, ...more };
}

function replied(text: string, stop: string | null = "end_turn", model = "claude-sonnet"): TranscriptMessage {
  const usage = { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 2 };
  const message = { id: text, model, stop_reason: stop, content: [{ type: "text", text }], usage };
  return { type: "assistant", uuid: "a", parent_tool_use_id: null, message };
}

const call = { type: "tool_use", id: "c1", name: "Bash", input: { command: "ls" } };
const called: TranscriptMessage = {
  type: "assistant",
  uuid: "t",
  parent_tool_use_id: null,
  message: { id: "m", model: "claude-sonnet", stop_reason: "tool_use", content: [call] },
};
const result = (content: string, isError = false): TranscriptMessage =>
  said([{ type: "tool_result", tool_use_id: "c1", content, is_error: isError }]);
const [asked, answered] = [said("go"), replied("gone")];

test("a turn with tools is reported as it was", () => {
  expect(endedTurn([asked, called, result("a.txt"), answered], "go", undefined)).toEqual([
    { type: "tool-started", id: "c1", tool: "bash", input: { command: "ls" } },
    { type: "tool-ended", id: "c1", tool: "bash", ok: true, output: "a.txt" },
    { type: "text", text: "gone" },
    { type: "usage", usage: { inputTokens: 7, outputTokens: 2 } },
    { type: "end", text: "gone" },
  ]);
});

test("a message that was stored in pieces is one text", () => {
  const pieces = ["one ", "two"].map((text) => ({
    ...replied(text),
    message: { ...replied(text).message, id: "same" },
  }));
  // Each piece has the usage of the whole message.
  expect(endedTurn([asked, ...pieces], "go", undefined)?.slice(-2)).toEqual([
    { type: "usage", usage: { inputTokens: 7, outputTokens: 2 } },
    { type: "end", text: "one two" },
  ]);
});

test("the last of equal prompts counts, and only its own messages", () => {
  const messages = [asked, replied("first"), said("go"), replied("second"), said("other"), replied("third")];
  expect(endedTurn(messages, "go", undefined)?.at(-1)).toEqual({ type: "end", text: "second" });
});

describe("a turn was cut off", () => {
  test.each<[string, TranscriptMessage[]]>([
    ["before anything was said", [asked]],
    ["in the middle of a message", [asked, replied("go", null)]],
    ["in the middle of a tool", [asked, called]],
    ["after a tool", [asked, called, result("a.txt")]],
    ["by the user", [asked, replied("go", null), said([{ type: "text", text: "[Request interrupted by user]" }])]],
    [
      "by an error that Claude reports as its own message",
      [asked, replied("API Error", "stop_sequence", "<synthetic>")],
    ],
    [
      "because no one was there to allow a tool",
      [asked, called, result("Tool permission request failed: AbortError", true), answered],
    ],
    [
      "because no one was there to answer a hook",
      [asked, called, result("The user doesn't want to take this action right now. STOP …", true), answered],
    ],
  ])("%s", (_how, messages) => {
    expect(endedTurn(messages, "go", undefined)).toBeUndefined();
  });
});

describe("with a key", () => {
  const first = said("go", { uuid: promptId("run/a", 0) });
  const second = said("go", { uuid: promptId("run/a", 1) });

  test("a prompt is found by it, whatever it says", () => {
    expect(endedTurn([first, answered], "anything", "run/a")?.at(-1)).toEqual({ type: "end", text: "gone" });
    expect(endedTurn([first, answered], "go", "run/b")).toBeUndefined();
  });

  test("the last attempt counts", () => {
    expect(attemptsAt("run/a", [first, second])).toBe(2);
    expect(endedTurn([first, replied("half", null), second, replied("whole")], "go", "run/a")?.at(-1)).toEqual({
      type: "end",
      text: "whole",
    });
    expect(endedTurn([first, answered, second], "go", "run/a")).toBeUndefined();
  });

  test("an id is a UUID, the same every time, and another one for each attempt", () => {
    expect(promptId("run/a", 0)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(promptId("run/a", 0)).toBe(promptId("run/a", 0));
    expect(new Set([promptId("run/a", 0), promptId("run/a", 1), promptId("run/b", 0)]).size).toBe(3);
  });
});
