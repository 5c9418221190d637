import type { Diagnostic } from "../diagnostic.ts";
import type { ToolRule } from "../entity.ts";
import {
  type Action,
  opensPattern,
  type PermissionRule,
  readPermissionRules,
  type Verdict,
  verdictOn,
} from "./permission-rules.ts";
import { type NormalizedTools, restricted, unreadable } from "./restrictions.ts";
import { canonicalToolNames, coversSomeEdit, deadPermissions, editTools } from "./tool-names.ts";

type RuleLists = Record<Action, ToolRule[]>;

/**
 * Reads OpenCode's `permission`: one action for everything, or actions by permission and pattern, of which the last
 * match wins. The result is never wider than that. It is narrower where rules overlap, since here a `deny` always wins.
 *
 * @example
 * normalizePermission({ bash: { "*": "deny", "git *": "allow" }, edit: "ask" });
 */
export function normalizePermission(value: unknown): NormalizedTools {
  if (value === undefined) return { kind: "unrestricted", diagnostics: [] };
  const rules = readPermissionRules(value);
  if (typeof rules === "string") return unreadable("permission", rules);

  const rest = verdictOn("*", rules);
  const lists: RuleLists = { allow: [], ask: [], deny: [] };
  let needsAllowList = rest.action !== "allow";
  for (const permission of new Set(["*", ...rules.map((rule) => rule.permission), ...editIfMeant(rules)])) {
    const verdict = verdictOn(permission, rules);
    const isLive = !isDead(permission);
    for (const tool of toolsOf(permission)) {
      if (isLive) addRules(lists, tool, verdict);
      else addDeadRules(lists, tool, verdict);
    }
    needsAllowList ||= isLive && opensPattern(verdict);
  }
  const { allow, ask, deny } = lists;
  return restricted({ ...(needsAllowList && { allow }), ask, deny }, ignoredByOpenCode(rules));
}

function addRules(lists: RuleLists, tool: string, { action, exceptions }: Verdict): void {
  const ordered = [...exceptions];
  const firstOpening = ordered.findIndex(([, exception]) => exception !== "deny");
  const isOpened = action === "deny" && firstOpening !== -1;
  // A rule that denies the whole would win over those that open a part; to be missing in the allow list is enough.
  if (!isOpened && (action !== "deny" || tool !== "*")) lists[action].push({ tool });
  const effective = action === "deny" ? ordered.slice(isOpened ? firstOpening : ordered.length) : ordered;
  for (const [pattern, exception] of effective) lists[exception].push({ tool, pattern });
}

/** A permission without effect may express the wish to forbid, but must not open anything. */
function addDeadRules({ deny }: RuleLists, tool: string, { action, exceptions }: Verdict): void {
  if (action === "deny") deny.push({ tool });
  for (const [pattern, exception] of exceptions) if (exception === "deny") deny.push({ tool, pattern });
}

/** A wildcard may open or close `edit` without its name, and then `write` and `patch` go with it. */
function editIfMeant(rules: readonly PermissionRule[]): readonly string[] {
  const isMeant = rules.some(({ permission }) => permission !== "*" && coversSomeEdit(permission));
  return isMeant ? ["edit"] : [];
}

function toolsOf(permission: string): readonly string[] {
  return permission === "edit" ? editTools : canonicalToolNames(permission, "opencode");
}

/** OpenCode looks up permissions by their exact name, so `write`, `Bash` and `ls` have no effect there. */
function isDead(permission: string): boolean {
  return deadPermissions.has(permission) || !toolsOf(permission).includes(permission);
}

function ignoredByOpenCode(rules: readonly PermissionRule[]): Diagnostic[] {
  const dead = new Set(rules.map(({ permission }) => permission).filter(isDead));
  return [...dead].map((permission) => ({
    severity: "warning",
    code: "permission-ignored",
    message: `"permission" sets "${permission}", which OpenCode ignores`,
    hint: `Use "${editTools.includes(permission) ? "edit" : toolsOf(permission)[0]}" instead.`,
  }));
}
