import type { Diagnostic } from "../diagnostic.ts";
import type { AgentModel, Provider } from "../entity.ts";

export interface NormalizedModel {
  /** Absent if the file names no model. */
  readonly model?: AgentModel;
  /** The model as written, for hosts that know more than the four classes. Absent for `inherit`. */
  readonly modelId?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Thousands of files use the same few models. */
const known = new Map<string, NormalizedModel>();
const MOST_MODELS = 100;
const NONE: readonly Diagnostic[] = Object.freeze([]);
const families = ["opus", "sonnet", "haiku"] as const;

/**
 * A model's class: `claude-opus-4-5`, `anthropic/claude-opus-4-5` and `us.anthropic.claude-opus-4-5-v1:0` are
 * `opus`. Anything that is not a Claude model inherits the session's.
 *
 * @example
 * normalizeModel("anthropic/claude-3-5-haiku"); // { model: "haiku", modelId: "anthropic/claude-3-5-haiku", … }
 * normalizeModel("gpt-4o"); // { model: "inherit", modelId: "gpt-4o", … }
 */
export function normalizeModel(value: unknown, provider?: Provider): NormalizedModel {
  if (value === undefined || value === null) return { diagnostics: [] };
  // Copilot accepts a list. Which of them it takes depends on what you may use, so it sets no model here.
  const isCopilotList =
    provider === "copilot" && Array.isArray(value) && value.every((each) => typeof each === "string");
  if (isCopilotList) return { diagnostics: [] };
  if (typeof value !== "string") {
    const kind = Array.isArray(value) ? "a list" : `of type ${typeof value}`;
    const message = `"model" is ${kind}; expected the name of one model`;
    const hint = `Write one name, such as "sonnet", or leave the key out to use the session's model.`;
    return { diagnostics: [{ severity: "warning", code: "model-not-a-string", message, hint }] };
  }
  const before = known.get(value);
  if (before !== undefined) return before;
  const modelId = value.trim();
  // Compare whole words between punctuation, so `octopus-7b` or `sonnetish` is not a Claude model.
  const words = modelId.toLowerCase().split(/[^a-z0-9]+/);
  const [family, another] = families.filter((each) => words.includes(each));
  const isClaude = words.includes("claude") || words.includes("anthropic");
  // `sonnet-4.5`, `opus[1m]` and `haiku-latest` are Claude's own short forms.
  const isShort = words.every((word) => word === family || /^(?:v?\d+m?|latest)?$/.test(word));
  const model = family !== undefined && another === undefined && (isClaude || isShort) ? family : "inherit";
  const isInherited = modelId === "" || modelId.toLowerCase() === "inherit";
  const result: NormalizedModel = Object.freeze({ model, ...(!isInherited && { modelId }), diagnostics: NONE });
  if (known.size === MOST_MODELS) known.clear();
  known.set(value, result);
  return result;
}
