import { type Setting as RuleSetting, settingFor } from "@atomic/workflows/internal/permission/fold";
import { capPermission } from "@atomic/workflows/internal/permission/layers";
import {
  type Action,
  type PermissionRule,
  rulesOf,
  type Permission as UserPermission,
  width,
} from "@atomic/workflows/internal/permission/rules";
import { isWildcard, matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";

/** One action, or actions by pattern, of which the last match wins. */
export type Setting = Action | readonly (readonly [pattern: string, action: Action])[];

/** OpenCode's `permission`, in its order, which counts: the last match wins. */
export type Permission = readonly (readonly [name: string, setting: Setting])[];

/** The lines of the key `permission` in frontmatter. */
export function printPermission(permission: Permission): string[] {
  if (permission.length === 0) return [];
  return ["permission:", ...permission.flatMap(([name, setting]) => printSetting(name, setting))];
}

function printSetting(name: string, setting: Setting): string[] {
  if (typeof setting === "string") return [`  ${printKey(name)}: ${setting}`];
  return [`  ${printKey(name)}:`, ...setting.map(([pattern, action]) => `    ${printKey(pattern)}: ${action}`)];
}

/** The note on an agent that `heldTo` has narrowed. */
export const HELD = "Your own permissions are stricter, so it is held to them";

/**
 * The permission as far as the user's own goes; itself if they have nothing to say about it. In OpenCode an agent's rules
 * come after the user's, so a plain `bash: allow` would overrule a user's `bash: ask`.
 */
export function heldTo(limit: UserPermission, permission: Permission): Permission {
  const own = permissionValue(permission);
  const general = rulesOf(limit);
  const isLimited = ({ permission: name, action }: PermissionRule): boolean =>
    general.some(
      (rule) => width[rule.action] < width[action] && (isWildcard(name) || matchesWildcard(rule.permission, name)),
    );
  if (!rulesOf(own).some(isLimited)) return permission;
  const capped = Object.entries(capPermission(own, limit));
  const wild = rulesOf(Object.fromEntries(capped.filter(([name]) => isWildcard(name))));
  // What the user closes is closed by `*` already, where this agent never had it.
  const isSaid = (name: string): boolean => !Object.hasOwn(own, name) && isClosed(settingFor(name, wild));
  const needed = capped.filter(([name, setting]) => isWildcard(name) || setting !== "deny" || !isSaid(name));
  return needed.map(([name, setting]) => [name, typeof setting === "string" ? setting : Object.entries(setting)]);
}

function isClosed(setting: RuleSetting): boolean {
  return setting.size === 1 && setting.get("*") === "deny";
}

/** What a reader of those lines must get. */
export function permissionValue(permission: Permission): UserPermission {
  return Object.fromEntries(
    permission.map(([name, setting]) => [name, typeof setting === "string" ? setting : Object.fromEntries(setting)]),
  );
}

function printKey(key: string): string {
  return /^[a-z]{3,}(?:_[a-z]+)*$/.test(key) ? key : JSON.stringify(key);
}
