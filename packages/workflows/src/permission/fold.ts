// What rules come to, for one call and for one permission. Pure.
import { type Action, expandHome, type PermissionRule } from "./rules.ts";
import { coversWildcard, isWildcard, matchesWildcard } from "./wildcard.ts";

/** What holds for one permission, by pattern, in order: the last match counts. `*`, if there is one, comes first. */
export type Setting = ReadonlyMap<string, Action>;

/**
 * What OpenCode does about a call, such as `bash` with `git push`. It allows what no rule is about, since its own first
 * rule allows everything.
 *
 * @example
 * decide([{ permission: "bash", pattern: "git push *", action: "deny" }], "bash", "git push"); // "deny"
 */
export function decide(rules: readonly PermissionRule[], permission: string, subject: string): Action {
  return decidingRule(rules, permission, subject)?.action ?? "allow";
}

/** The last rule that matches. */
function decidingRule<Rule extends { readonly permission: string; readonly pattern: string }>(
  rules: readonly Rule[],
  permission: string,
  subject: string,
): Rule | undefined {
  return rules.findLast(
    (rule) => matchesWildcard(rule.permission, permission) && matchesWildcard(expandHome(rule.pattern), subject),
  );
}

/** The rules about one permission, under its name. */
export function rulesAbout<Rule extends { readonly permission: string }>(
  rules: readonly Rule[],
  permission: string,
): Rule[] {
  return rules.flatMap((rule) => (coversWildcard(rule.permission, permission) ? [{ ...rule, permission }] : []));
}

/** The rules about one permission, folded. */
export function settingFor(permission: string, rules: readonly PermissionRule[]): Setting {
  const setting = new Map<string, Action>();
  for (const rule of rules) {
    if (!coversWildcard(rule.permission, permission)) continue;
    putLast(setting, rule.pattern, rule.action);
  }
  return setting;
}

/** A pattern that is set again moves to the end: only there is it the last match. After a `*` nothing before it counts. */
export function putLast(setting: Map<string, Action>, pattern: string, action: Action): void {
  if (pattern === "*") setting.clear();
  setting.delete(pattern);
  setting.set(pattern, action);
}

/** What holds where no pattern matches. */
export function generalAction(setting: Setting): Action {
  return setting.get("*") ?? "allow";
}

/** The patterns besides `*`. */
export function exceptionsIn(setting: Setting): [pattern: string, action: Action][] {
  return [...setting].filter(([pattern]) => pattern !== "*");
}

/** What OpenCode itself asks about. Servers and plugins bring more. */
export const knownPermissions: readonly string[] = [
  ...["bash", "doom_loop", "edit", "external_directory", "glob", "grep", "list", "lsp", "question", "read", "skill"],
  ...["task", "todowrite", "webfetch", "websearch"],
];

/** OpenCode does not start with patterns for these. */
export const withoutPatterns: ReadonlySet<string> = new Set([
  ...["todowrite", "question", "webfetch", "websearch", "doom_loop"],
]);

/** The permissions that rules decide about: those they name, and OpenCode's own that a wildcard covers. */
export function permissionsIn(rules: readonly PermissionRule[]): string[] {
  const named = rules.map(({ permission }) => permission);
  const wild = named.filter((name) => name !== "*" && isWildcard(name));
  const covered = knownPermissions.filter((name) => wild.some((pattern) => matchesWildcard(pattern, name)));
  return [...new Set([...named, ...covered])].sort();
}
