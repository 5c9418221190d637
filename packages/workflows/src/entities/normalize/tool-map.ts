import { matchesWildcard } from "../../permission/wildcard.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Provider, ToolRule } from "../entity.ts";
import { type NormalizedTools, restricted, unreadable } from "./restrictions.ts";
import { isToolName } from "./tool-list.ts";
import { canonicalToolNames, coversSomeEdit, editTools, isForeignWildcard } from "./tool-names.ts";

type ToolMap = Readonly<Record<string, unknown>>;

/**
 * Reads OpenCode's switches, `{ bash: true, write: false }`. OpenCode leaves every tool on that a map does not mention.
 * Whoever switches tools on means these tools, so here a map with a `true` in it allows no others; a map of nothing but
 * `false` allows all others, as in OpenCode. `"*"` says what holds for the rest, and undoes what precedes it.
 */
export function normalizeToolMap(map: ToolMap, provider: Provider, key: string): NormalizedTools {
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
    if (isOn && isForeignWildcard(name, provider)) return unreadable(key, `"${name}" is a wildcard for tools`);
    const rules = canonicalToolNames(name, provider).map((tool) => ({ tool }));
    (isOn ? on : off).push(...rules);
  }
  if (provider === "opencode") off.push(...closedWithEdit(map, on));
  rest ??= on.length === 0 && (off.length > 0 || readsMaps.has(provider));
  const differences = provider === "opencode" ? differencesToOpenCode(map, rest) : [];
  return restricted({ ...(!rest && { allow: on }), deny: off }, differences);
}

/**
 * OpenCode knows one switch for `edit`, `write` and `patch`: whatever names one of them sets it, and the last one wins.
 * If that switch is off, so are all three, save those that the map itself switches on (`tools-map-edit` warns of them).
 */
function closedWithEdit(map: ToolMap, on: readonly ToolRule[]): ToolRule[] {
  const last = Object.entries(map).findLast(
    ([name]) => editTools.includes(plainName(name)) || matchesWildcard(name, "edit"),
  );
  if (last === undefined || last[1] === true) return [];
  if (last[0] === "*" && !on.some(({ tool }) => coversSomeEdit(tool))) return [];
  return editTools.filter((tool) => !on.some((rule) => rule.tool === tool)).map((tool) => ({ tool }));
}

function plainName(name: string): string {
  return canonicalToolNames(name, "opencode")[0] ?? name;
}

/** For the others an empty map is a list of nothing: Claude Code takes every tool away. */
const readsMaps: ReadonlySet<Provider> = new Set(["opencode", "hugo", "atomic"]);

function differencesToOpenCode(map: ToolMap, rest: boolean): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (!rest && !Object.hasOwn(map, "*")) {
    found.push({
      severity: "info",
      code: "tools-map-narrowed",
      message: 'only the tools switched on in "tools" are allowed; OpenCode itself also allows those not mentioned',
      hint: 'Add "*": false to say so, or "*": true to allow the rest.',
    });
  }
  const edits = new Set(Object.entries(map).flatMap(([name, isOn]) => (editTools.includes(name) ? [isOn] : [])));
  if (edits.size > 1) {
    found.push({
      severity: "warning",
      code: "tools-map-edit",
      message: `"tools" differs between ${editTools.join(", ")}; OpenCode knows one switch for all, and the last one wins`,
      hint: "Give them the same value, or use a permission for edit with paths.",
    });
  }
  return found;
}
