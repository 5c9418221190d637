import { expect, test } from "bun:test";
import { resolveModels } from "../../src/delegate/review-models.ts";

const connected = new Set([
  "openai/gpt-5.2",
  "anthropic/claude-sonnet-4-5",
  "router/openai/gpt-5.2",
  "azure/gpt-4o",
  "openai/gpt-4o",
]);

test.each<[readonly string[], readonly string[] | string]>([
  [["openai/gpt-5.2"], ["openai/gpt-5.2"]],
  [
    ["claude-sonnet-4-5", "openai/gpt-5.2"],
    ["anthropic/claude-sonnet-4-5", "openai/gpt-5.2"],
  ],
  [["claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"], ["anthropic/claude-sonnet-4-5"]],
  [["gpt-4o"], "Several providers have the model gpt-4o: azure/gpt-4o, openai/gpt-4o."],
  [["openai/gpt-5.2", "anthropic/claude-sonet-4-5"], "Did you mean anthropic/claude-sonnet-4-5?"],
  [["claude-sonnet-45"], "Did you mean claude-sonnet-4-5?"],
  [
    ["llama"],
    "Connected models: anthropic/claude-sonnet-4-5, azure/gpt-4o, openai/gpt-4o, openai/gpt-5.2, router/openai/gpt-5.2.",
  ],
  [["\u001b[31mx"], 'There is no connected model "\\u001b[31mx".'],
])("%j", (wanted, expected) => {
  const found = resolveModels(wanted, connected);
  if (typeof expected === "string") expect("problem" in found && found.problem).toContain(expected);
  else expect(found).toEqual({ models: expected });
});

test("a long list of models is cut", () => {
  const many = new Set(Array.from({ length: 30 }, (_, at) => `p/model-${at}`));
  const found = resolveModels(["x"], many);
  expect("problem" in found && found.problem).toContain("and 10 more (`opencode models` lists them)");
  expect(resolveModels(["x"], new Set())).toEqual({
    problem: 'There is no connected model "x". No models are connected.',
  });
});
