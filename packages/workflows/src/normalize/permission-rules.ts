import { covers } from "./restrictions.ts";
import { isToolMap } from "./tool-map.ts";

export type Action = "allow" | "ask" | "deny";

export interface PermissionRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: Action;
}

/** What holds for one permission in general, and for the patterns after that, of which the last match wins. */
export interface Verdict {
  readonly action: Action;
  readonly exceptions: ReadonlyMap<string, Action>;
}

const maxRules = 1_000;
const width: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 };

/** The rules in the order of the file, or what is wrong with them. */
export function readPermissionRules(value: unknown): PermissionRule[] | string {
  if (isAction(value)) return [{ permission: "*", pattern: "*", action: value }];
  if (!isToolMap(value)) return "it is neither an action nor a map of actions";
  const rules: PermissionRule[] = [];
  for (const [permission, setting] of Object.entries(value)) {
    const byPattern = isToolMap(setting) ? Object.entries(setting) : [["*", setting] as const];
    for (const [pattern, action] of byPattern) {
      if (!isAction(action)) return `"${permission}" has an action other than allow, ask and deny`;
      rules.push({ permission, pattern, action });
    }
    if (rules.length > maxRules) return `it has more than ${maxRules} rules`;
  }
  return rules;
}

function isAction(value: unknown): value is Action {
  return value === "allow" || value === "ask" || value === "deny";
}

export function verdictOn(permission: string, rules: readonly PermissionRule[]): Verdict {
  let action: Action = "allow";
  const exceptions = new Map<string, Action>();
  for (const rule of rules) {
    if (!covers(rule.permission, permission)) continue;
    if (rule.pattern === "*") {
      action = rule.action;
      exceptions.clear();
    } else {
      exceptions.delete(rule.pattern);
      exceptions.set(rule.pattern, rule.action);
    }
  }
  if (!/[*?]/.test(permission)) return { action, exceptions };
  // Nobody knows which tools a wildcard names, so no rule could keep the rest of them closed.
  return { action, exceptions: new Map([...exceptions].filter(([, exception]) => width[exception] < width[action])) };
}

/** Whether a pattern allows more than what holds in general. */
export function opensPattern({ action, exceptions }: Verdict): boolean {
  return [...exceptions.values()].some((exception) => width[exception] > width[action]);
}
