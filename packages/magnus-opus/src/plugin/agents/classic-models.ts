/** The models that this workflow was first made with, each used where its provider is connected (`model_preset: "classic"`). */
export const classicModels: Readonly<Record<string, string>> = {
  architect: "anthropic/claude-sonnet-4-5",
  developer: "anthropic/claude-sonnet-4-5",
  backend: "anthropic/claude-sonnet-4-5",
  designer: "google/gemini-2.5-pro",
  "ui-developer": "anthropic/claude-sonnet-4-5",
  reviewer: "anthropic/claude-sonnet-4-5",
  "plan-reviewer": "anthropic/claude-sonnet-4-5",
  tester: "anthropic/claude-haiku-4-5",
  explorer: "xai/grok-4",
  cleaner: "anthropic/claude-haiku-4-5",
};

/** Tokens that they were given to think with, where the provider has that. */
export const classicThinking: Readonly<Record<string, number>> = { orchestrator: 32_000, "plan-reviewer": 16_000 };
