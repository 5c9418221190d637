import { capPermission } from "@atomic/workflows/internal/permission/layers";
import { type Action, type Permission, rulesOf, settingFor, width } from "@atomic/workflows/internal/permission/rules";
import { isWildcard, matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";

/** One action, or actions by pattern; the last match wins. */
export type OrderedSetting = Action | readonly (readonly [pattern: string, action: Action])[];

/** OpenCode's `permission`. The order matters: the last match wins. */
export type OrderedPermission = readonly (readonly [name: string, setting: OrderedSetting])[];

/** The lines of the key `permission` in frontmatter. */
export function printPermission(permission: OrderedPermission): string[] {
  if (permission.length === 0) return [];
  const key = (name: string): string => (/^[a-z]{3,}(?:_[a-z]+)*$/.test(name) ? name : JSON.stringify(name));
  const lines = permission.flatMap(([name, setting]) => {
    if (typeof setting === "string") return [`  ${key(name)}: ${setting}`];
    return [`  ${key(name)}:`, ...setting.map(([pattern, action]) => `    ${key(pattern)}: ${action}`)];
  });
  return ["permission:", ...lines];
}

/** The value that those lines mean. */
export function permissionValue(permission: OrderedPermission): Permission {
  return Object.fromEntries(
    permission.map(([name, setting]) => [name, typeof setting === "string" ? setting : Object.fromEntries(setting)]),
  );
}

/** The note on an agent that `heldTo` has narrowed. */
export const HELD = "Your own permissions are stricter, so they apply";

/**
 * The permission, limited to the user's own; unchanged if theirs does not limit it. In OpenCode an agent's rules come
 * after the user's, so a plain `bash: allow` would override a user's `bash: ask`.
 */
export function heldTo(limit: Permission, permission: OrderedPermission): OrderedPermission {
  const own = permissionValue(permission);
  const general = rulesOf(limit);
  const isLimited = rulesOf(own).some(({ permission: name, action }) =>
    general.some(
      (rule) => width[rule.action] < width[action] && (isWildcard(name) || matchesWildcard(rule.permission, name)),
    ),
  );
  if (!isLimited) return permission;
  const capped = Object.entries(capPermission(own, limit));
  const wild = rulesOf(Object.fromEntries(capped.filter(([name]) => isWildcard(name))));
  const needed = capped.filter(([name, setting]) => {
    if (isWildcard(name) || setting !== "deny" || Object.hasOwn(own, name)) return true;
    // `*` already denies what this agent never had.
    const inGeneral = settingFor(name, wild);
    return inGeneral.size !== 1 || inGeneral.get("*") !== "deny";
  });
  return needed.map(([name, setting]) => [name, typeof setting === "string" ? setting : Object.entries(setting)]);
}
