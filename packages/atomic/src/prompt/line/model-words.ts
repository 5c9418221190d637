// `/model`: what was asked for.
import type { PromptHost } from "./host-command.ts";

export type ModelRequest =
  | { readonly kind: "show" | "select" | "refresh" | "default" }
  | { readonly kind: "list"; readonly provider: string | undefined }
  | { readonly kind: "set"; readonly model: string }
  | { readonly kind: "wrong"; readonly because: string };

export function readModelWords(words: readonly string[]): ModelRequest {
  const [first, second, third] = words;
  if (first === undefined) return { kind: "show" };
  if (first === "list" && third === undefined) return { kind: "list", provider: second };
  if (second !== undefined) return { kind: "wrong", because: "A model's name is one word: /model list shows them." };
  if (first.trim() === "")
    return { kind: "wrong", because: "The model's name is empty. `/model list` shows the names." };
  if (first === "select" || first === "refresh" || first === "default") return { kind: first };
  return { kind: "set", model: first };
}

/** The program that lists the host's models; undefined if there is none. */
export function modelsCommand(host: PromptHost, how: "list" | "refresh"): readonly string[] | undefined {
  return host === "opencode" ? [host, "models", ...(how === "refresh" ? ["--refresh"] : [])] : undefined;
}

/** Models that a host knows by these names, and lists nowhere. */
export const knownModels: Readonly<Record<PromptHost, readonly string[]>> = {
  opencode: [],
  claude: ["opus", "sonnet", "haiku", "opusplan", "opus[1m]", "sonnet[1m]"],
  copilot: [],
};

/** Whether a host that lists no models may know the name nevertheless, such as `claude-opus-4-5-20251101` or an ARN. */
export function isWholeName(host: PromptHost, model: string): boolean {
  return host === "claude" && /claude|[/:]/i.test(model);
}
