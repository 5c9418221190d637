// The part of OpenCode's permission language that knows the home folder.
import { homedir } from "node:os";
import type { Action, PermissionRule } from "./rules.ts";
import { matchesWildcard } from "./wildcard.ts";

/**
 * What OpenCode does about a call, such as `bash` with `git push`. It allows what no rule covers, because its own first rule
 * allows everything.
 */
export function decide(rules: readonly PermissionRule[], permission: string, subject: string): Action {
  const last = rules.findLast(
    (rule) => matchesWildcard(rule.permission, permission) && matchesWildcard(expandHome(rule.pattern), subject),
  );
  return last?.action ?? "allow";
}

/** `~` and `$HOME` at the start of a pattern are the home folder. OpenCode expands them when it reads a config. */
export function expandHome(pattern: string): string {
  const start = /^(?:~(?=\/|$)|\$HOME)/.exec(pattern)?.[0];
  return start === undefined ? pattern : homedir() + pattern.slice(start.length);
}
