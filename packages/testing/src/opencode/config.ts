import type { Config } from "@opencode-ai/sdk/v2";
import type { WireName } from "../model/wire.ts";

/** What OpenCode needs to know of the scripted model: a `ModelServer` fits. */
export interface ModelAddress {
  readonly v1: string;
  readonly models: readonly string[];
}

/**
 * The content of an opencode.json whose only provider is the scripted model; `config` is merged on top.
 *
 * ```ts
 * await project.write("opencode.json", opencodeConfig(model, { permission: { edit: "deny" } }));
 * ```
 */
export function opencodeConfig(
  model: ModelAddress,
  config: Config = {},
  wire: WireName = "chat-completions",
): Config & { $schema: string } {
  const first = `${providerId}/${model.models[0]}`;
  return {
    $schema: "https://opencode.ai/config.json",
    model: first,
    small_model: first,
    enabled_providers: [providerId],
    share: "disabled",
    snapshot: false, // several git calls per step, of use only to tests of undo
    ...config,
    provider: {
      [providerId]: {
        name: "Scripted",
        npm: providerPackages[wire],
        options: { baseURL: model.v1, apiKey: "none" },
        models: Object.fromEntries(
          model.models.map((id) => [id, { name: id, tool_call: true, limit: { context: 200_000, output: 8_000 } }]),
        ),
      },
      ...config.provider,
    },
  };
}

/** The scripted model's name in `provider/model`. */
export const providerId = "scripted";

// All three come inside OpenCode: nothing is installed for them.
const providerPackages: Record<WireName, string> = {
  "chat-completions": "@ai-sdk/openai-compatible",
  responses: "@ai-sdk/openai",
  messages: "@ai-sdk/anthropic",
};
