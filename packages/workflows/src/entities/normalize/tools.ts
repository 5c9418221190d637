import { isPlainObject } from "../../permission/rules.ts";
import { matchesWildcard } from "../../permission/wildcard.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type Provider, providerTitles, type ToolRule } from "../entity.ts";
import { type NormalizedTools, restricted, unreadable } from "./restrictions.ts";
import { isToolName, type ListedTool, parseToolList, type ToolList } from "./tool-list.ts";
import {
  canonicalToolNames,
  claudeSpelling,
  coversSomeEdit,
  editTools,
  isForeignWildcard,
  isIgnoredByClaude,
} from "./tool-names.ts";

export interface ToolsOptions {
  readonly provider: Provider;
  /** The key that the value comes from, for messages. Default `tools`. */
  readonly key?: string;
  /** A name that Claude Code ignores allows nothing, instead of what it seems to mean. */
  readonly asClaude?: boolean;
}

/**
 * Reads `tools` or `allowed-tools` in any of its forms. A value that cannot be read never means "everything": the result
 * is `unreadable`, and the entity must be disabled.
 *
 * - absent, `*` or a list with `*`: unrestricted
 * - `[]`, an empty string or an empty key: nothing is allowed, as in Claude and Copilot
 * - `{ bash: true, write: false }`: only the tools that are on; if none is, all except those that are off
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
    return unreadable(key, `"${wild.name}" is a tool wildcard, which ${providerTitles[provider]} does not support`);
  const diagnostics = misspelled(list.entries, provider, key);
  if (list.entries.length === 0 && !Array.isArray(value)) {
    const message = `"${key}" is empty, so no tools are allowed`;
    const hint = "Remove the key to allow every tool, or write [] to allow none.";
    diagnostics.push({ severity: "warning", code: "tools-empty", message, hint });
  }
  const heeded = options.asClaude === true ? list.entries.filter(({ name }) => !isIgnoredByClaude(name)) : list.entries;
  return restricted({ allow: toRules(heeded, provider) }, diagnostics);
}

/** Reads `disallowed-tools` or `disallowedTools`. Claude removes the whole tool, whatever the pattern. */
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
  const entries: (readonly ListedTool[])[] = [];
  for (const item of value) {
    if (typeof item !== "string") return { problem: `the list contains a value of type ${typeof item}` };
    const list = parseToolList(item);
    if ("problem" in list) return list;
    entries.push(list.entries);
  }
  return { entries: entries.flat() };
}

function toRules(entries: readonly ListedTool[], provider: Provider): ToolRule[] {
  return entries.flatMap(({ name, pattern }) =>
    canonicalToolNames(name, provider).map((tool) => (pattern === undefined ? { tool } : { tool, pattern })),
  );
}

function misspelled(entries: readonly ListedTool[], provider: Provider, key: string): Diagnostic[] {
  if (provider !== "claude") return [];
  return [...new Set(entries.map(({ name }) => name))].flatMap((name) => {
    if (!isIgnoredByClaude(name)) return [];
    const spelling = claudeSpelling(name);
    const message = `"${key}" lists "${name}", which Claude Code ignores because tool names must match exactly`;
    const hint = spelling === undefined ? "Claude Code has no tool with that name." : `Write "${spelling}".`;
    return [{ severity: "warning", code: "tool-name-case", message, hint }];
  });
}

/** For the others an empty map is an empty list: Claude Code removes every tool. */
const readsMaps: ReadonlySet<Provider> = new Set(["opencode", "hugo", "atomic"]);

/**
 * Reads OpenCode's switches, `{ bash: true, write: false }`. OpenCode leaves on every tool that a map does not mention.
 * If you switch some tools on, you mean only these, so here a map with a `true` allows no others; a map with only `false`
 * allows all others, as in OpenCode. `"*"` sets the rest and undoes what precedes it.
 */
function normalizeToolMap(map: Readonly<Record<string, unknown>>, provider: Provider, key: string): NormalizedTools {
  let rest: boolean | undefined;
  const on: ToolRule[] = [];
  const off: ToolRule[] = [];
  for (const [name, isOn] of Object.entries(map)) {
    if (typeof isOn !== "boolean") return unreadable(key, `"${name}" is neither true nor false`);
    if (!isToolName(name)) return unreadable(key, `"${name}" is not the name of a tool`);
    if (name === "*") {
      rest = isOn;
      on.length = 0;
      off.length = 0;
      continue;
    }
    if (isOn && isForeignWildcard(name, provider))
      return unreadable(key, `"${name}" is a tool wildcard, which ${providerTitles[provider]} does not support`);
    const rules = canonicalToolNames(name, provider).map((tool) => ({ tool }));
    (isOn ? on : off).push(...rules);
  }
  if (provider === "opencode") {
    // OpenCode has one switch for `edit`, `write` and `patch`: any of the three sets it, and the last one wins. If it is
    // off, all three are off, except those that the map itself switches on (`tools-map-edit` warns about them).
    const last = Object.entries(map).findLast(
      ([name]) => editTools.includes(canonicalToolNames(name, "opencode")[0] ?? name) || matchesWildcard(name, "edit"),
    );
    const isOff = last !== undefined && last[1] !== true;
    if (isOff && (last[0] !== "*" || on.some(({ tool }) => coversSomeEdit(tool)))) {
      const closed = editTools.filter((tool) => !on.some((rule) => rule.tool === tool));
      off.push(...closed.map((tool) => ({ tool })));
    }
  }
  rest ??= on.length === 0 && (off.length > 0 || readsMaps.has(provider));
  const differences: Diagnostic[] = [];
  if (provider === "opencode" && !rest && !Object.hasOwn(map, "*")) {
    const message =
      'only the tools set to true in "tools" are allowed; OpenCode itself also allows tools that are not listed';
    const hint = 'Add "*": false to make this explicit, or "*": true to allow the rest.';
    differences.push({ severity: "info", code: "tools-map-narrowed", message, hint });
  }
  const edits = new Set(Object.entries(map).flatMap(([name, isOn]) => (editTools.includes(name) ? [isOn] : [])));
  if (provider === "opencode" && edits.size > 1) {
    const message = `"tools" sets different values for ${editTools.join(", ")}; OpenCode treats them as one tool, and the last value wins`;
    const hint = 'Give them the same value, or set path patterns for "edit" under "permission".';
    differences.push({ severity: "warning", code: "tools-map-edit", message, hint });
  }
  return restricted({ ...(!rest && { allow: on }), deny: off }, differences);
}
