// What goes with a request to a model, where the settings say so and the provider understands it.

import type { Config } from "../../config/schema.ts";
import { classicThinking } from "../agents/classic-models.ts";
import type { Parameters } from "../agents/configure-agents.ts";
import type { Settings } from "../live/settings.ts";
import type { ChatParams } from "./opencode-hooks.ts";

type Set = Pick<Settings, "config" | "parameters">;

export function setParameters(
  settings: Set,
  { agent, model }: ChatParams["input"],
  output: ChatParams["output"],
): void {
  if (settings.config.disabled_hooks?.includes("parameters")) return;
  const { maxTokens, thinking, reasoningEffort } = parametersOf(settings, agent);
  const isAnthropic = /anthropic/.test(`${model?.providerID ?? ""} ${model?.api?.npm ?? ""}`);
  if (maxTokens !== undefined) output.maxOutputTokens = maxTokens;
  if (thinking !== undefined && isAnthropic) output.options.thinking = thinking;
  if (reasoningEffort !== undefined && !isAnthropic) output.options.reasoningEffort = reasoningEffort;
}

/** What is set counts more than the preset. */
function parametersOf({ config, parameters }: Set, agent: string): Parameters {
  const preset = presetOf(config, agent);
  return Object.hasOwn(parameters, agent) ? { ...preset, ...parameters[agent] } : {};
}

function presetOf({ model_preset }: Config, agent: string): Parameters {
  if (model_preset !== "classic" || !Object.hasOwn(classicThinking, agent)) return {};
  return { thinking: { type: "enabled", budgetTokens: classicThinking[agent]! } };
}
