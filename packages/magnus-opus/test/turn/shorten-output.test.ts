import { expect, test } from "bun:test";
import { estimateTokens, outputLimit, shorten, tokensOf } from "../../src/turn/shorten-output.ts";

const limit = { context: 200_000, output: 8_000 };

test("all tokens count: input, output, reasoning and both kinds of cached ones", () => {
  expect(tokensOf({ input: 1, output: 20, reasoning: 300, cache: { read: 4_000, write: 50_000 } })).toBe(54_321);
});

test.each([
  ["much is left", "grep", {}, 0, 50_000],
  ["web pages get less", "webfetch", {}, 0, 10_000],
  ["half of what is left after the answer's room", "grep", {}, 172_000, 10_000],
  ["something is always kept", "grep", {}, 250_000, 300],
  ["unless a limit says less", "grep", { toolOutputLimits: { grep: 100 } }, 250_000, 100],
  ["other tools are left alone", "read", {}, 199_000, undefined],
  ["and tools named like parts of an object", "constructor", { toolOutputLimits: {} }, 0, undefined],
  ["unless they have a limit", "read", { toolOutputLimits: { read: 500 } }, 0, 500],
  ["or all are shortened", "read", { truncateAllToolOutputs: true }, 172_000, 10_000],
  ["a limit of your own wins", "webfetch", { toolOutputLimits: { webfetch: 20_000 } }, 0, 20_000],
])("%s", (_, tool, rules, used, most) => {
  expect(outputLimit(tool, rules, { used, limit })).toBe(most);
});

test("where the model or its use is unknown, the tool's limit counts", () => {
  expect(outputLimit("grep", {}, { used: undefined, limit })).toBe(50_000);
  expect(outputLimit("webfetch", {}, { used: 199_000, limit: undefined })).toBe(10_000);
  expect(outputLimit("webfetch", {}, { used: 199_000, limit: { context: 0, output: 0 } })).toBe(10_000);
});

test("the beginning and the end are kept, by whole lines, and nothing is lost or doubled", () => {
  const lines = Array.from({ length: 1_000 }, (_, line) => `line ${line} of a thousand`);
  const { head, tail, leftOut } = shorten(lines.join("\n"), 500)!;
  const [first, last] = [head.split("\n"), tail.split("\n")];
  expect(first).toEqual(lines.slice(0, first.length));
  expect(last).toEqual(lines.slice(-last.length));
  expect(first.length + leftOut + last.length).toBe(1_000);
  expect(first.length).toBeGreaterThan(last.length);
  expect(estimateTokens(head) + estimateTokens(tail)).toBeLessThanOrEqual(501);
});

test.each([
  ["one long line", "x".repeat(10_000)],
  ["characters of several bytes", "猫🐈ü".repeat(2_000)],
])("%s is cut between characters", (_, text) => {
  const { head, tail } = shorten(text, 100)!;
  expect(text.startsWith(head)).toBe(true);
  expect(text.endsWith(tail)).toBe(true);
  expect(head).not.toBe("");
  expect(tail).not.toBe("");
  expect(`${head}${tail}`).not.toContain("\ufffd");
  expect(estimateTokens(`${head}${tail}`)).toBeLessThanOrEqual(100);
});

test("what is short enough stays as it is", () => {
  expect(shorten("a\nb\n", 1)).toBeUndefined();
});
