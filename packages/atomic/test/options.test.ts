import { expect, test } from "bun:test";
import type { UsageError } from "@atomic/terminal/refusal";
import { parseDuration, parseNumber, parseSize } from "../src/options.ts";
import { formatAgo, formatBytes, formatSpent, formatTokens, formatUsd } from "../src/report/format.ts";
import { budgetOf, permissionsOf } from "../src/run-options.ts";

test.each([
  ["90s", 90_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["250ms", 250],
  ["2d", 172_800_000],
  ["10", undefined],
  ["", undefined],
  ["m", undefined],
  ["-5m", undefined],
  ["5 m", undefined],
  ["5mx", undefined],
])("the time %s is %p ms", (word, ms) => {
  expect(parseDuration(word)).toBe(ms!);
});

test.each([
  ["500MB", 500_000_000],
  ["2G", 2_000_000_000],
  ["1.5kB", 1500],
  ["10KB", 10_000],
  ["42B", 42],
  ["42", undefined],
  ["0", undefined],
  ["MB", undefined],
  ["5TB", undefined],
])("the size %s is %p bytes", (word, bytes) => {
  expect(parseSize(word)).toBe(bytes!);
});

test.each([
  ["5", 5],
  ["0.25", 0.25],
  ["-1", undefined],
  ["1e9", undefined],
  ["NaN", undefined],
  ["Infinity", undefined],
  ["", undefined],
])("the number %s is %p", (word, number) => {
  expect(parseNumber(word)).toBe(number!);
});

test("amounts are short", () => {
  expect([formatAgo(500), formatAgo(9500), formatAgo(192_000), formatAgo(90_000_000)]).toEqual([
    "just now",
    "9s ago",
    "3m ago",
    "1d ago",
  ]);
  expect([1, 999, 45_230, 1_250_000].map(formatTokens)).toEqual([
    "1 token",
    "999 tokens",
    "45.2k tokens",
    "1.3M tokens",
  ]);
  expect([0, 0.0042, 0.01, 12.5].map(formatUsd)).toEqual(["$0.00", "$0.0042", "$0.01", "$12.50"]);
  expect([12, 5500, 2_000_000, 3_000_000_000].map(formatBytes)).toEqual(["12 B", "5.5 kB", "2.0 MB", "3.0 GB"]);
  expect(formatSpent({ usd: 0, tokens: 0 })).toBe("");
});

test("limits that are not set do not apply", () => {
  const none = { "budget-usd": undefined, "budget-tokens": undefined, "max-time": undefined, "max-steps": undefined };
  expect(budgetOf(none)).toEqual({});
  expect(budgetOf({ ...none, "budget-usd": 0, "max-time": 5000 })).toEqual({ usd: 0, wallMs: 5000 });
});

test("the stricter of two rules for a tool counts, and `all` covers every tool not named", () => {
  const policy = { allow: ["all", "bash,Edit"], ask: ["bash"], deny: ["webfetch", " bash "] };
  expect(permissionsOf(policy)).toEqual({ "*": "allow", bash: "deny", edit: "allow", webfetch: "deny" });
  expect(permissionsOf({ allow: [], ask: [], deny: [] })).toEqual({});
});

test("--allow edit also allows the other tools that change files, unless they are named", () => {
  const policy = { allow: ["edit"], ask: ["all"], deny: ["write"] };
  const expected = { "*": "ask", edit: "allow", write: "deny", patch: "allow", notebookedit: "allow" } as const;
  expect(permissionsOf(policy)).toEqual(expected);
});

test.each([
  ["Bash, MultiEdit,shell", { bash: "deny", edit: "deny" }],
  ["github/*", { "github/*": "deny" }],
  ["mcp__GitHub__merge", { "GitHub/merge": "deny" }],
  ["delegate_task,mine*", { delegate_task: "deny", "mine*": "deny" }],
])("--deny %s", (word, expected) => {
  expect(permissionsOf({ allow: [], ask: [], deny: [word] })).toEqual(expected as Record<string, "deny">);
});

test.each([
  [
    "Bash(rm:*)",
    '--deny: "Bash(rm:*)" is a pattern, but only whole tools can be named here',
    "Name the whole tool: bash.",
  ],
  ["bsah", '--deny: there is no tool "bsah"', 'Did you mean "bash"? If it is your own tool, write "bsah*".'],
  ["web_fetch", '--deny: there is no tool "web_fetch"', 'Did you mean "webfetch"?'],
  ["everything", '--deny: there is no tool "everything"', "Known tools: bash, edit, "],
  ["rm -rf", '--deny: there is no tool "rm -rf"', "Known tools: bash, edit, "],
])("a denial that would deny nothing is refused: %s", (word, message, hint) => {
  try {
    permissionsOf({ allow: ["all"], ask: [], deny: [word] });
    throw new Error("It was accepted.");
  } catch (error) {
    expect(error).toMatchObject({ name: "UsageError", message });
    expect((error as UsageError).hint).toStartWith(hint);
  }
});
