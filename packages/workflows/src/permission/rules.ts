// OpenCode's permission language as data: what a config or a file's frontmatter says becomes rules, in order. Of the
// rules that match, the last one counts.
import { homedir } from "node:os";

export type Action = "allow" | "ask" | "deny";

/** By permission, an action or actions by pattern. The order of the keys counts. */
export type Permission = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

export interface PermissionRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: Action;
}

/** How much an action lets happen. */
export const width: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 };

export function isAction(value: unknown): value is Action {
  return value === "allow" || value === "ask" || value === "deny";
}

export function narrowest(actions: Iterable<Action>): Action {
  let least: Action = "allow";
  for (const action of actions) if (width[action] < width[least]) least = action;
  return least;
}

const maxRules = 1_000;

/** The rules of a `permission`, or what is wrong with it. */
export function readPermissionRules(value: unknown): PermissionRule[] | string {
  if (isAction(value)) return [{ permission: "*", pattern: "*", action: value }];
  if (!isPlainObject(value)) return "it is neither an action nor a map of actions";
  const rules: PermissionRule[] = [];
  for (const [permission, setting] of Object.entries(value)) {
    const byPattern = isPlainObject(setting) ? Object.entries(setting) : [["*", setting] as const];
    for (const [pattern, action] of byPattern) {
      if (!isAction(action)) return `"${permission}" has an action other than allow, ask and deny`;
      rules.push({ permission, pattern, action });
    }
    if (rules.length > maxRules) return `it has more than ${maxRules} rules`;
  }
  return rules;
}

/** The same as a map, without what OpenCode would refuse: a plugin may have put anything into the config. */
export function readPermission(value: unknown): Permission {
  if (isAction(value)) return { "*": value };
  if (!isPlainObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([, setting]) => isSetting(setting))) as Permission;
}

function isSetting(value: unknown): boolean {
  return isAction(value) || (isPlainObject(value) && Object.values(value).every(isAction));
}

export function rulesOf(permission: Permission): PermissionRule[] {
  return Object.entries(permission).flatMap(([name, setting]) => {
    const patterns = typeof setting === "string" ? [["*", setting] as const] : Object.entries(setting);
    return patterns.map(([pattern, action]) => ({ permission: name, pattern, action }));
  });
}

/** OpenCode has one permission for everything that writes a file. */
const editSwitches: ReadonlySet<string> = new Set(["write", "edit", "patch"]);

/** OpenCode's older `tools`, a map of switches, as the permission that OpenCode makes of it. */
export function permissionOfSwitches(tools: unknown): Record<string, Action> {
  const permission: Record<string, Action> = {};
  if (!isPlainObject(tools)) return permission;
  for (const [tool, isOn] of Object.entries(tools)) {
    if (typeof isOn === "boolean") permission[editSwitches.has(tool) ? "edit" : tool] = isOn ? "allow" : "deny";
  }
  return permission;
}

/** What an agent's own keys say. A permission takes the place of the switch with its name, and keeps its position. */
export function agentPermission({ tools, permission }: { tools?: unknown; permission?: unknown }): Permission {
  return { ...permissionOfSwitches(tools), ...readPermission(permission) };
}

/** `~` and `$HOME` at the start of a pattern are the home folder. OpenCode expands them when it reads a config. */
export function expandHome(pattern: string): string {
  const start = /^(?:~(?=\/|$)|\$HOME)/.exec(pattern)?.[0];
  return start === undefined ? pattern : homedir() + pattern.slice(start.length);
}

/** A map that a parser made, not an object of some class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
