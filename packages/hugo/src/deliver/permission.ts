import type { Action } from "@atomic/workflows/permission/rules";

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

/** What a reader of those lines must get. */
export function permissionValue(permission: Permission): object {
  return Object.fromEntries(
    permission.map(([name, setting]) => [name, typeof setting === "string" ? setting : Object.fromEntries(setting)]),
  );
}

function printKey(key: string): string {
  return /^[a-z]{3,}(?:_[a-z]+)*$/.test(key) ? key : JSON.stringify(key);
}
