// What goes with a request to a model, where the settings say so and the provider understands it.
import type { Magnus } from "../live/magnus.ts";
import type { ChatParams } from "./opencode-hooks.ts";

export function setParameters(
  { settings }: Magnus,
  { agent, model }: ChatParams["input"],
  output: ChatParams["output"],
): void {
  const name = typeof agent === "string" ? agent : (agent as { readonly name: string }).name;
  if (!Object.hasOwn(settings.parameters, name) || settings.config.disabled_hooks?.includes("parameters")) return;
  const { maxTokens, thinking, reasoningEffort } = settings.parameters[name]!;
  const maker = `${model?.providerID ?? ""} ${model?.api?.npm ?? ""}`;
  if (maxTokens !== undefined) output.maxOutputTokens = maxTokens;
  if (thinking !== undefined && /anthropic/.test(maker)) output.options.thinking = thinking;
  if (reasoningEffort !== undefined && !/anthropic/.test(maker)) output.options.reasoningEffort = reasoningEffort;
}
