import { isPlainObject } from "../../permission/rules.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Provider, ToolRule } from "../entity.ts";
import { type NormalizedTools, restricted, unreadable } from "./restrictions.ts";
import { parseToolList, type ToolEntry, type ToolList } from "./tool-list.ts";
import { normalizeToolMap } from "./tool-map.ts";
import { canonicalToolNames, claudeSpelling, isForeignWildcard, isIgnoredByClaude } from "./tool-names.ts";

export interface ToolsOptions {
  readonly provider: Provider;
  /** The key that the value comes from, for messages. Default `tools`. */
  readonly key?: string;
  /** Names that Claude Code ignores allow nothing, rather than what they seem to mean. */
  readonly asClaude?: boolean;
}

/**
 * Reads `tools` or `allowed-tools` in any of its forms. A value that cannot be read is never taken for "everything":
 * its result is `unreadable`, and the entity must be disabled.
 *
 * - absent, `*` or a list with `*`: unrestricted
 * - `[]`, an empty string or an empty key: nothing is allowed, as Claude and Copilot have it
 * - `{ bash: true, write: false }`: only the tools switched on; if none is, all but those switched off
 *
 * @example
 * normalizeTools("Bash(git:*), Edit", { provider: "claude" });
 * // { kind: "restricted", tools: ["bash", "edit"], restrictions: { allow: [{ tool: "bash", pattern: "git:*" }, …] } }
 */
export function normalizeTools(value: unknown, options: ToolsOptions): NormalizedTools {
  if (value === undefined) return { kind: "unrestricted", diagnostics: [] };
  const { provider, key = "tools" } = options;
  if (isPlainObject(value)) return normalizeToolMap(value, provider, key);
  const list = readList(value);
  if ("problem" in list) return unreadable(key, list.problem);
  if (list.entries.some((entry) => entry.name === "*" && entry.pattern === undefined)) {
    return { kind: "unrestricted", diagnostics: [] };
  }
  const wild = list.entries.find(({ name }) => isForeignWildcard(name, provider));
  if (wild !== undefined)
    return unreadable(key, `"${wild.name}" is a wildcard for tools, which ${provider} does not know`);
  const isBlank = list.entries.length === 0 && !Array.isArray(value);
  const diagnostics = isBlank ? [blankKey(key)] : misspelled(list.entries, provider, key);
  const heeded = options.asClaude === true ? list.entries.filter(({ name }) => !isIgnoredByClaude(name)) : list.entries;
  return restricted({ allow: toRules(heeded, provider) }, diagnostics);
}

/** Reads `disallowed-tools` or `disallowedTools`. Claude takes the whole tool away, whatever pattern is given. */
export function normalizeDisallowedTools(value: unknown, options: ToolsOptions): NormalizedTools {
  if (value === undefined) return { kind: "unrestricted", diagnostics: [] };
  const { provider, key = "disallowedTools" } = options;
  const list = readList(value);
  if ("problem" in list) return unreadable(key, list.problem);
  if (list.entries.some(({ name }) => name === "*")) return restricted({ allow: [] });
  const deny = toRules(list.entries, provider).map(({ tool }) => ({ tool }));
  return restricted({ deny }, misspelled(list.entries, provider, key));
}

/** A string, a list of strings, or nothing at all. */
function readList(value: unknown): ToolList {
  if (value === null) return { entries: [] };
  if (typeof value === "string") return parseToolList(value);
  if (!Array.isArray(value)) return { problem: `it is of type ${typeof value}` };
  const entries: (readonly ToolEntry[])[] = [];
  for (const item of value) {
    if (typeof item !== "string") return { problem: `the list holds something of type ${typeof item}` };
    const list = parseToolList(item);
    if ("problem" in list) return list;
    entries.push(list.entries);
  }
  return { entries: entries.flat() };
}

function toRules(entries: readonly ToolEntry[], provider: Provider): ToolRule[] {
  return entries.flatMap(({ name, pattern }) =>
    canonicalToolNames(name, provider).map((tool) => (pattern === undefined ? { tool } : { tool, pattern })),
  );
}

function blankKey(key: string): Diagnostic {
  return {
    severity: "warning",
    code: "tools-empty",
    message: `"${key}" is empty, so no tool is allowed`,
    hint: "Remove the key to allow every tool, or write [] if none is meant.",
  };
}

function misspelled(entries: readonly ToolEntry[], provider: Provider, key: string): Diagnostic[] {
  if (provider !== "claude") return [];
  return [...new Set(entries.map(({ name }) => name))].flatMap((name) => {
    if (!isIgnoredByClaude(name)) return [];
    const spelling = claudeSpelling(name);
    const message = `"${key}" names "${name}", which Claude Code ignores: it compares tool names exactly`;
    return [
      {
        severity: "warning",
        code: "tool-name-case",
        message,
        hint: spelling === undefined ? "Claude Code has no tool of that name." : `Write "${spelling}".`,
      },
    ];
  });
}
