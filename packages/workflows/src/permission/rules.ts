// OpenCode's permission language as data: a config or a file's frontmatter becomes ordered rules. The last rule that
// matches counts.
import { coversWildcard, isWildcard, matchesWildcard } from "./wildcard.ts";

export type Action = "allow" | "ask" | "deny";

/** For each permission, an action or actions by pattern. The keys' order counts. */
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

/** The rules in a `permission`, or what is wrong with it. */
export function readPermissionRules(value: unknown): PermissionRule[] | string {
  if (isAction(value)) return [{ permission: "*", pattern: "*", action: value }];
  if (!isPlainObject(value)) return "it is neither an action nor a map of actions";
  const rules: PermissionRule[] = [];
  for (const [permission, setting] of Object.entries(value)) {
    const byPattern = isPlainObject(setting) ? Object.entries(setting) : [["*", setting] as const];
    for (const [pattern, action] of byPattern) {
      if (!isAction(action)) return `"${permission}" has an action other than allow, ask or deny`;
      rules.push({ permission, pattern, action });
    }
    if (rules.length > maxRules) return `it has more than ${maxRules} rules`;
  }
  return rules;
}

/** The same as a map, without what OpenCode would refuse, because a plugin may have put anything into the config. */
export function readPermission(value: unknown): Permission {
  if (isAction(value)) return { "*": value };
  if (!isPlainObject(value)) return {};
  const accepted = Object.entries(value).filter(
    ([, setting]) => isAction(setting) || (isPlainObject(setting) && Object.values(setting).every(isAction)),
  );
  return Object.fromEntries(accepted) as Permission;
}

export function rulesOf(permission: Permission): PermissionRule[] {
  return Object.entries(permission).flatMap(([name, setting]) => {
    const patterns = typeof setting === "string" ? [["*", setting] as const] : Object.entries(setting);
    return patterns.map(([pattern, action]) => ({ permission: name, pattern, action }));
  });
}

/** OpenCode has one permission for everything that writes a file. */
const editSwitches: ReadonlySet<string> = new Set(["write", "edit", "patch"]);

/** OpenCode's older `tools`, a map of switches, as the permission that OpenCode makes from it. */
export function permissionOfSwitches(tools: unknown): Record<string, Action> {
  const permission: Record<string, Action> = {};
  if (!isPlainObject(tools)) return permission;
  for (const [tool, isOn] of Object.entries(tools)) {
    if (typeof isOn === "boolean") permission[editSwitches.has(tool) ? "edit" : tool] = isOn ? "allow" : "deny";
  }
  return permission;
}

/** What an agent's own keys say. A permission replaces the switch with its name, in the same position. */
export function agentPermission({ tools, permission }: { tools?: unknown; permission?: unknown }): Permission {
  return { ...permissionOfSwitches(tools), ...readPermission(permission) };
}

/** A map that a parser made, not an object of some class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** One permission's actions by pattern, in order: the last match counts. `*` comes first, if present. */
export type PatternActions = ReadonlyMap<string, Action>;

/** The rules about one permission, under its name. */
export function rulesAbout<Rule extends { readonly permission: string }>(
  rules: readonly Rule[],
  permission: string,
): Rule[] {
  return rules.flatMap((rule) => (coversWildcard(rule.permission, permission) ? [{ ...rule, permission }] : []));
}

/** The rules about one permission, combined. */
export function settingFor(permission: string, rules: readonly PermissionRule[]): PatternActions {
  const setting = new Map<string, Action>();
  for (const rule of rules) {
    if (coversWildcard(rule.permission, permission)) putLast(setting, rule.pattern, rule.action);
  }
  return setting;
}

/** A pattern that is set again moves to the end, because only there is it the last match. Nothing before a `*` counts. */
export function putLast(setting: Map<string, Action>, pattern: string, action: Action): void {
  if (pattern === "*") setting.clear();
  setting.delete(pattern);
  setting.set(pattern, action);
}

/** The patterns besides `*`. */
export function exceptionsIn(setting: PatternActions): [pattern: string, action: Action][] {
  return [...setting].filter(([pattern]) => pattern !== "*");
}

/** The permissions that OpenCode itself asks about. Servers and plugins bring more. */
export const knownPermissions: readonly string[] = [
  ...["bash", "doom_loop", "edit", "external_directory", "glob", "grep", "list", "lsp", "question", "read", "skill"],
  ...["task", "todowrite", "webfetch", "websearch"],
];

/** OpenCode does not start if these have patterns. */
export const withoutPatterns: ReadonlySet<string> = new Set(
  "todowrite question webfetch websearch doom_loop".split(" "),
);

/** The permissions that rules decide: those they name, and OpenCode's own that a wildcard covers. */
export function permissionsIn(rules: readonly PermissionRule[]): string[] {
  const named = rules.map(({ permission }) => permission);
  const wild = named.filter((name) => name !== "*" && isWildcard(name));
  const covered = knownPermissions.filter((name) => wild.some((pattern) => matchesWildcard(pattern, name)));
  return [...new Set([...named, ...covered])].sort();
}
