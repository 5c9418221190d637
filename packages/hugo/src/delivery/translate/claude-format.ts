// Which format a file is written in, recognized by what only Claude Code has.
import { knownKeys } from "@atomic/workflows/internal/entities/lint/known-keys";
import type { MarkdownFile } from "./markdown-file.ts";

type Values = Readonly<Record<string, unknown>>;

/** Whether it must be translated, because of the package or of the frontmatter. */
export function isClaudeFormat({ type, isClaudes }: Pick<MarkdownFile, "type" | "isClaudes">, values: Values): boolean {
  if (isClaudes) return true;
  const { model, tools, color } = values;
  // OpenCode does not start with such lists and does not find such a model.
  if (typeof model === "string" && !model.includes("/")) return true;
  if (type === "agent" && tools !== undefined && !isMap(tools)) return true;
  if (type === "agent" && typeof color === "string" && colours.has(color)) return true;
  return Object.keys(values).some((key) => isOnlyClaudes(type, key));
}

/** Keys that mean something to Claude Code and nothing to OpenCode. */
export function isOnlyClaudes(type: MarkdownFile["type"], key: string): boolean {
  return knownKeys.claude[type]?.has(key) === true && !isOpencodes(type, key);
}

export function isOpencodes(type: MarkdownFile["type"], key: string): boolean {
  return knownKeys.opencode[type]?.has(key) === true;
}

/** Claude's color names, as the six digits that OpenCode accepts. */
export const colours: ReadonlyMap<string, string> = new Map([
  ["red", "#dc2626"],
  ["orange", "#ea580c"],
  ["yellow", "#ca8a04"],
  ["green", "#16a34a"],
  ["cyan", "#0891b2"],
  ["blue", "#2563eb"],
  ["purple", "#9333ea"],
  ["pink", "#db2777"],
]);

export function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
