// What stands in the parentheses of a tool of Claude Code, as a pattern of OpenCode that matches no more than that.

/** Patterns that OpenCode matches as Claude does; `all` if there is no limit; undefined if OpenCode cannot say it. */
export type TranslatedPattern = "all" | readonly string[] | undefined;

/**
 * `git:*` is `git *`: to both it means the command itself, and the command with anything behind it.
 *
 * @example
 * shellPattern("npm run test:*"); // ["npm run test *"]
 */
export function shellPattern(pattern: string): TranslatedPattern {
  if (pattern === "*" || pattern === ":*") return "all";
  // To OpenCode `?` is any character, a backslash is a slash, and some beginnings are the user's home.
  if (/[?\\\p{Cc}]|^[~$]/u.test(pattern)) return undefined;
  return [pattern.endsWith(":*") ? `${pattern.slice(0, -":*".length)} *` : pattern];
}

const FOLDER = String.raw`(?:(?!\.{1,2}/)[\w.@ -]+/)`;
const FILE = new RegExp(`^${FOLDER}*(?!\\.{1,2}$)[\\w.@ -]+$`);
const ALL_BELOW = new RegExp(String.raw`^(${FOLDER}+)\*\*$`);
const ENDING_BELOW = new RegExp(String.raw`^(${FOLDER}+)\*\*/\*(\.[\w.-]+)$`);
const ENDING = /^(?:\*\*\/)?\*(\.[\w.-]+)$/;

/**
 * Claude reads paths as .gitignore does, where a `*` ends at a slash. In OpenCode it does not, so that only forms pass
 * in which that makes no difference.
 */
export function pathPattern(pattern: string): TranslatedPattern {
  if (/^(?:\*|\*\*|\*\*\/\*)$/.test(pattern)) return "all";
  const ending = ENDING.exec(pattern)?.[1];
  if (ending !== undefined) return [`*${ending}`];
  const path = pattern.replace(/^\.?\/(?!\/)/, "");
  const [, below, endingBelow] = ALL_BELOW.exec(path) ?? ENDING_BELOW.exec(path) ?? [];
  if (below !== undefined) return [`${below}*${endingBelow ?? ""}`];
  return FILE.test(path) ? [path] : undefined;
}

/** What Claude Code calls agents that OpenCode has as well. */
const sameAgents: ReadonlyMap<string, string> = new Map([
  ["general-purpose", "general"],
  ["Explore", "explore"],
]);

export function opencodeAgent(name: string): string {
  return sameAgents.get(name) ?? name;
}

/** `Task(worker, researcher)`: names of agents or skills. */
export function namePattern(pattern: string): TranslatedPattern {
  if (pattern.trim() === "*") return "all";
  const names = pattern.split(",").map((name) => name.trim());
  return names.every((name) => /^[\w][\w/:-]*$/.test(name)) ? names.map(opencodeAgent) : undefined;
}

/** Of these OpenCode knows yes or no. */
export function noPattern(pattern: string): TranslatedPattern {
  return pattern === "*" ? "all" : undefined;
}
