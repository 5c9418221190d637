import {
  type Action,
  exceptionsIn,
  type PermissionRule,
  readPermissionRules,
  settingFor,
  width,
} from "../../permission/rules.ts";
import { isWildcard } from "../../permission/wildcard.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { ToolRule } from "../entity.ts";
import { type NormalizedTools, restricted, unreadable } from "./restrictions.ts";
import { canonicalToolNames, coversSomeEdit, deadPermissions, editTools, pathTools } from "./tool-names.ts";

/** The action for one permission in general, and for patterns that differ from it. */
interface Verdict {
  readonly action: Action;
  readonly exceptions: readonly (readonly [pattern: string, action: Action])[];
}

function verdictOn(permission: string, rules: readonly PermissionRule[]): Verdict {
  const setting = settingFor(permission, rules);
  const [action, exceptions] = [setting.get("*") ?? "allow", exceptionsIn(setting)];
  if (!isWildcard(permission)) return { action, exceptions };
  // We do not know which tools a wildcard names, so no rule could keep the rest of them closed.
  return { action, exceptions: exceptions.filter(([, exception]) => width[exception] < width[action]) };
}

/**
 * Reads OpenCode's `permission`: one action for everything, or actions by permission and pattern, where the last match
 * wins. The result never allows more than that. It allows less where rules overlap, since here a `deny` always wins.
 *
 * @example
 * normalizePermission({ bash: { "*": "deny", "git *": "allow" }, edit: "ask" });
 */
export function normalizePermission(value: unknown): NormalizedTools {
  if (value === undefined) return { kind: "unrestricted", diagnostics: [] };
  const rules = readPermissionRules(value);
  return typeof rules === "string" ? unreadable("permission", rules) : normalizeRules(rules);
}

/** The same for rules that are already read, such as a user's and an agent's in one list. */
export function normalizeRules(rules: readonly PermissionRule[]): NormalizedTools {
  const rest = verdictOn("*", rules);
  const lists: Record<Action, ToolRule[]> = { allow: [], ask: [], deny: [] };
  const permissions = new Set(["*", ...rules.map((rule) => rule.permission)]);
  // OpenCode looks up permissions by their exact names, so `write`, `Bash` and `ls` have no effect there.
  const dead = new Set([...permissions].filter((each) => deadPermissions.has(each) || !toolsOf(each).includes(each)));
  // A wildcard may open or close `edit` without naming it, and then also `write` and `patch`.
  if (rules.some(({ permission }) => permission !== "*" && coversSomeEdit(permission))) permissions.add("edit");
  let needsAllowList = rest.action !== "allow";
  for (const permission of permissions) {
    const { action, exceptions } = verdictOn(permission, rules);
    const isLive = !dead.has(permission);
    needsAllowList ||= isLive && exceptions.some(([, exception]) => width[exception] > width[action]);
    const firstOpening = exceptions.findIndex(([, exception]) => exception !== "deny");
    const isOpened = action === "deny" && firstOpening !== -1;
    const effective = action === "deny" ? exceptions.slice(isOpened ? firstOpening : exceptions.length) : exceptions;
    for (const tool of toolsOf(permission)) {
      if (isLive) {
        // A rule that denies the whole tool would beat those that open a part; leaving it off the allow list is enough.
        if (!isOpened && (action !== "deny" || tool !== "*")) lists[action].push({ tool });
        for (const [pattern, exception] of effective) lists[exception].push(patternRule(tool, pattern));
        continue;
      }
      // A permission without effect may still forbid, but must not open anything.
      if (action === "deny") lists.deny.push({ tool });
      for (const [pattern, exception] of exceptions) {
        if (exception === "deny") lists.deny.push(patternRule(tool, pattern));
      }
    }
  }
  const { allow, ask, deny } = lists;
  const ignored = [...dead].map(
    (permission): Diagnostic => ({
      severity: "warning",
      code: "permission-ignored",
      message: `"permission" sets "${permission}", which OpenCode ignores`,
      hint: `Use "${editTools.includes(permission) ? "edit" : toolsOf(permission)[0]}" instead.`,
    }),
  );
  return restricted({ ...(needsAllowList && { allow }), ask, deny }, ignored);
}

/** `test:*` is a prefix with a colon in OpenCode, but the whole word `test` in Claude's lists. Two stars equal one. */
function patternRule(tool: string, pattern: string): ToolRule {
  return { tool, pattern: pattern.replace(/:\*$/, ":**"), ...(pathTools.has(tool) && { from: "opencode" }) };
}

function toolsOf(permission: string): readonly string[] {
  return permission === "edit" ? editTools : canonicalToolNames(permission, "opencode");
}
