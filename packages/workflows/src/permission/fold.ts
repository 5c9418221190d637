// What rules come to: for one call, for one permission, and beside other rules. Pure.
import { type Action, expandHome, type PermissionRule, width } from "./rules.ts";
import { isWildcard, matchesWildcard } from "./wildcard.ts";

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
export function decidingRule<Rule extends { readonly permission: string; readonly pattern: string }>(
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
  return rules.flatMap((rule) => (matchesWildcard(rule.permission, permission) ? [{ ...rule, permission }] : []));
}

/** The rules about one permission, folded. */
export function settingFor(permission: string, rules: readonly PermissionRule[]): Setting {
  const setting = new Map<string, Action>();
  for (const rule of rules) {
    if (!matchesWildcard(rule.permission, permission)) continue;
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

/** More than anyone writes by hand; comparing them all would take longer than asking. */
const mostPatterns = 40;

/** Whether anything is allowed by `after` that was not by `before`, or is no longer asked about. Errs towards yes. */
export function isWider(before: Setting, after: Setting): boolean {
  if (width[generalAction(after)] > width[generalAction(before)]) return true;
  const entries = [exceptionsIn(before), exceptionsIn(after)];
  if (JSON.stringify(entries[0]) === JSON.stringify(entries[1])) return false;
  const patterns = [...new Set(entries.flat().map(([pattern]) => pattern))];
  if (patterns.length > mostPatterns) return true;
  return [...samplesOf(patterns)].some((sample) => width[actionFor(after, sample)] > width[actionFor(before, sample)]);
}

function actionFor(setting: Setting, subject: string): Action {
  return [...setting].findLast(([pattern]) => matchesWildcard(pattern, subject))?.[1] ?? "allow";
}

/** Texts that the patterns match, alone and in every two of them together; for `git *` also plain `git`. */
function samplesOf(patterns: readonly string[]): Set<string> {
  const fill = (pattern: string, filling: string): string => pattern.replaceAll("*", filling).replaceAll("?", "x");
  const fillings = ["", "x", ...patterns.map((pattern) => fill(pattern, "")), ...patterns.map(withoutTail)];
  return new Set(patterns.flatMap((pattern) => [withoutTail(pattern), ...fillings.map((each) => fill(pattern, each))]));
}

function withoutTail(pattern: string): string {
  return pattern.replace(/ \*$/, "").replaceAll("*", "").replaceAll("?", "x");
}

/** What OpenCode itself asks about. Servers and plugins bring more. */
export const knownPermissions: readonly string[] = [
  ...["bash", "doom_loop", "edit", "external_directory", "glob", "grep", "list", "lsp", "question", "read", "skill"],
  ...["task", "todowrite", "webfetch", "websearch"],
];

/** The permissions that rules decide about: those they name, and OpenCode's own that a wildcard covers. */
export function permissionsIn(rules: readonly PermissionRule[]): string[] {
  const named = rules.map(({ permission }) => permission);
  const wild = named.filter((name) => name !== "*" && isWildcard(name));
  const covered = knownPermissions.filter((name) => wild.some((pattern) => matchesWildcard(pattern, name)));
  return [...new Set([...named, ...covered])].sort();
}

/** The permissions of which `after` allows more than `before`; `*` is for all that neither names. */
export function widerPermissions(before: readonly PermissionRule[], after: readonly PermissionRule[]): string[] {
  const names = new Set([...permissionsIn([...before, ...after]), "*"]);
  return [...names].sort().filter((name) => isWider(settingFor(name, before), settingFor(name, after)));
}
