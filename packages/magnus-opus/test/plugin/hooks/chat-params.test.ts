import { expect, test } from "bun:test";
import type { Config } from "../../../src/config/schema.ts";
import { setParameters } from "../../../src/plugin/hooks/messages.ts";

const claude = { providerID: "anthropic" };
const viaGateway = { providerID: "my-gateway", api: { npm: "@ai-sdk/anthropic" } };
const other = { providerID: "openai", api: { npm: "@ai-sdk/openai" } };
const thinking = { type: "enabled", budgetTokens: 1000 } as const;
const parameters = {
  reviewer: { maxTokens: 10, thinking, reasoningEffort: "high" },
  "plan-reviewer": {},
  orchestrator: {},
} as const;

function sent(agent: string, model: object | undefined, config: Config = {}): object {
  const output: { maxOutputTokens?: number | undefined; options: Record<string, unknown> } = { options: { mine: 1 } };
  setParameters({ config, parameters, roleOf: (name) => name }, { agent, ...(model && { model }) }, output);
  return output;
}

test("a task has what its category says, over what its agent has", () => {
  const output = { options: {} };
  const settings = { config: {}, parameters, roleOf: (name: string) => name };
  const ofTask = { temperature: 0.7, top_p: 0.5, maxTokens: 20 };
  setParameters(settings, { agent: "reviewer", model: claude }, output, ofTask);
  expect(output).toEqual({
    temperature: 0.7,
    topP: 0.5,
    maxOutputTokens: 20,
    options: { thinking },
  } as object as never);
});

test.each([
  ["thinking goes to Anthropic", claude, { thinking }],
  ["by whatever way", viaGateway, { thinking }],
  ["also on Vertex", { providerID: "v", api: { npm: "@ai-sdk/google-vertex/anthropic" } }, { thinking }],
  [
    "Google has its own words for it",
    { providerID: "google", api: { npm: "@ai-sdk/google" } },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 1000 } },
  ],
  [
    "so has Bedrock, for Anthropic's models",
    { providerID: "b", api: { npm: "@ai-sdk/amazon-bedrock", id: "eu.anthropic.claude-sonnet-4-5" } },
    { reasoningConfig: thinking },
  ],
  [
    "but not for others",
    { api: { npm: "@ai-sdk/amazon-bedrock", id: "amazon.nova-pro" } },
    { reasoningEffort: "high" },
  ],
  [
    "so has OpenRouter",
    { providerID: "openrouter", api: { npm: "@openrouter/ai-sdk-provider" } },
    { reasoning: { max_tokens: 1000 } },
  ],
  ["so has Alibaba", { api: { npm: "@ai-sdk/alibaba" } }, { enableThinking: true, thinkingBudget: 1000 }],
  ["a gateway passes it on", { api: { npm: "@ai-sdk/gateway", id: "anthropic/claude-opus-4-5" } }, { thinking }],
  ["effort goes to the others", other, { reasoningEffort: "high" }],
  ["and to unknown ones", undefined, { reasoningEffort: "high" }],
])("%s", (_, model, options) => {
  expect(sent("reviewer", model)).toEqual({ maxOutputTokens: 10, options: { mine: 1, ...options } });
});

test("other agents are left alone, whatever they are called", () => {
  for (const agent of ["build", "constructor"]) expect(sent(agent, claude)).toEqual({ options: { mine: 1 } });
});

test("the preset turns on thinking for two agents, unless it is configured", () => {
  const config: Config = { model_preset: "classic" };
  const budget = (tokens: number) => ({ options: { mine: 1, thinking: { type: "enabled", budgetTokens: tokens } } });
  expect(sent("orchestrator", claude, config)).toEqual(budget(32_000));
  expect(sent("plan-reviewer", claude, config)).toEqual(budget(16_000));
  expect(sent("plan-reviewer", other, config)).toEqual({ options: { mine: 1 } });
  expect(sent("reviewer", claude, config)).toMatchObject({ options: { thinking } });
});

test("it can be switched off", () => {
  expect(sent("reviewer", claude, { disabled_hooks: ["parameters"] })).toEqual({ options: { mine: 1 } });
});
