// Whether rules allow more than other rules do. Pure.
import { exceptionsIn, generalAction, permissionsIn, type Setting, settingFor } from "./fold.ts";
import { type Action, type PermissionRule, width } from "./rules.ts";
import { matchesWildcard } from "./wildcard.ts";

/** The permissions of which `after` allows more than `before`; `*` is for all that neither names. */
export function widerPermissions(before: readonly PermissionRule[], after: readonly PermissionRule[]): string[] {
  const names = new Set([...permissionsIn([...before, ...after]), "*"]);
  return [...names].sort().filter((name) => isWider(settingFor(name, before), settingFor(name, after)));
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
