// A server's tool has two names: `github/push` here and on most hosts, `github_push` in OpenCode. Pure.
import { matchesWildcard } from "./wildcard.ts";

/** OpenCode's name for a tool. Also works for the name in a rule, with its wildcards. */
export function opencodeToolName(tool: string): string {
  return tool.includes("/") ? plainToolName(tool).replaceAll("/", "_") : tool;
}

/**
 * Other names that a tool may have in rules: `github_push` for `github/push`. In OpenCode's `my_lake_fish`, the end of the
 * server's name is ambiguous, so it has two: `my/lake_fish` and `my_lake/fish`.
 */
export function otherToolNames(tool: string): string[] {
  if (tool.includes("/"))
    return [...new Set([plainToolName(tool), opencodeToolName(tool)])].filter((name) => name !== tool);
  const names: string[] = [];
  for (let at = tool.indexOf("_", 1); at !== -1 && names.length < mostParts; at = tool.indexOf("_", at + 1)) {
    if (at < tool.length - 1) names.push(plainToolName(`${tool.slice(0, at)}/${tool.slice(at + 1)}`));
  }
  return names;
}

/** No server has a name with more parts. */
const mostParts = 64;

/** Whether a rule is about a tool under this other name, and not under its own. */
export function isAboutOtherName(rule: string, other: string, tool: string): boolean {
  return !matchesWildcard(rule, tool) && matchesWildcard(plainToolName(rule), other);
}

/** OpenCode and Claude replace everything except letters, digits, `_` and `-`. */
export function plainToolName(tool: string): string {
  return tool.includes("/") ? tool.replaceAll(/[^\w*?/-]/g, "_") : tool;
}
