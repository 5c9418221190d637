import type { Restrictions } from "@atomic/workflows/internal/entities/entity";
import { matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";
import type { OrderedPermission, OrderedSetting } from "./permission.ts";

type Rule = NonNullable<Restrictions["allow"]>[number];

type TranslatedTools =
  | { readonly kind: "translated"; readonly permission: OrderedPermission; readonly notes: readonly string[] }
  /** OpenCode has no rule that allows so little. */
  | { readonly kind: "stopped"; readonly because: string };

/** OpenCode's permission for a tool, and how it reads patterns. */
const permissionOf: ReadonlyMap<string, readonly [permission: string, read: (pattern: string) => TranslatedPattern]> =
  new Map([
    ["read", ["read", pathPattern]],
    // OpenCode has one permission for changing and writing files, and Claude's Edit creates files, too.
    ["edit", ["edit", pathPattern]],
    ["write", ["edit", pathPattern]],
    ["patch", ["edit", pathPattern]],
    ["bash", ["bash", shellPattern]],
    ["task", ["task", namePattern]],
    ["skill", ["skill", namePattern]],
    ...["glob", "grep", "list", "lsp", "question", "todowrite", "webfetch", "websearch"].map(
      (tool) => [tool, [tool, noPattern]] as const,
    ),
  ]);
/** Claude has separate tools for notebooks; OpenCode does not. */
const notebookTools: ReadonlyMap<string, string> = new Map([
  ["notebookread", "read"],
  ["notebookedit", "edit"],
]);
const NOTEBOOKS = "*.ipynb";
/** Permissions that look like an MCP server's tools, but are not. */
const UNDERSCORED = ["external_directory", "doom_loop", "plan_enter", "plan_exit", "apply_patch"];
const TOUCHES_FILES = ["read", "edit", "bash", "glob", "grep", "list"];

/** Of more tools that OpenCode does not have, only the number is said. */
const MOST_NAMES = 4;

/** What may be used, by permission. */
type Grants = Map<string, { readonly action: "allow" | "ask"; readonly patterns: "all" | readonly string[] }>;

/**
 * Claude's tool lists as OpenCode's permission, never wider: what is not listed is denied, and if OpenCode has no rule
 * that is as narrow, nothing is translated.
 *
 * @example
 * permissionOfTools({ allow: [{ tool: "bash", pattern: "git:*" }] });
 */
export function permissionOfTools({ allow, deny = [] }: Restrictions): TranslatedTools {
  const notes: string[] = [];
  const grants: Grants = new Map();
  const unknown: string[] = [];
  for (const rule of allow ?? []) {
    const because = grant(grants, rule, { notes, unknown });
    if (because !== undefined) return { kind: "stopped", because };
  }
  if (unknown.length > 0) {
    const some = unknown.slice(0, MOST_NAMES).map((tool) => JSON.stringify(tool));
    const more = unknown.length > MOST_NAMES ? ` and ${unknown.length - MOST_NAMES} more` : "";
    const [tools, are] = unknown.length === 1 ? ["tool", "it is"] : ["tools", "they are"];
    const left = grants.size === 0 ? ", and this agent can use none" : "";
    notes.push(`OpenCode has no ${tools} ${some.join(", ")}${more}, so ${are} left out of the allowed tools${left}`);
  }
  const deniedTools = deny.map(({ tool }) => tool);
  const wild = deniedTools.find((tool) => tool.includes("*") && !tool.includes("/"));
  if (wild !== undefined) {
    return { kind: "stopped", because: `OpenCode cannot deny tools by Claude Code's pattern "${wild}"` };
  }
  // An unknown tool may belong to a plugin or, with a slash, to a server.
  const others = deniedTools.filter((tool) => !notebookTools.has(tool));
  const denied = [...new Set(others.map((tool) => permissionOf.get(tool)?.[0] ?? tool.replace(/[^\w*-]/g, "_")))];
  /** Permissions that are denied for notebooks. */
  const closed = deniedTools.flatMap((tool) => notebookTools.get(tool) ?? []);
  // Claude can deny one and allow the other.
  const [taken, left] = deniedTools.includes("edit") ? ["Edit", "Write"] : ["Write", "Edit"];
  const isLeft = allow === undefined || allow.some(({ tool }) => tool === left.toLowerCase());
  if (deniedTools.includes("edit") !== deniedTools.includes("write") && isLeft) {
    notes.push(`OpenCode has one permission for Edit and Write, so removing ${taken} also removes ${left}`);
  }
  for (const name of denied) grants.delete(name);

  // An agent that can change files and run commands gains nothing from starting another one.
  const mayFully = (name: string): boolean =>
    allow === undefined ? !denied.includes(name) : grants.get(name)?.patterns === "all";
  const mayDoAnything = !closed.includes("edit") && mayFully("edit") && mayFully("bash");
  const mayStartAgents = allow === undefined ? !denied.includes("task") : grants.has("task");
  if (mayStartAgents && !mayDoAnything) {
    grants.delete("task");
    if (allow === undefined) denied.push("task");
    notes.push(
      "In OpenCode, this agent cannot start other agents, because they could do things it is not allowed to do",
    );
  }

  const mayEdit = grants.get("edit")?.patterns === "all";
  const granted = [...grants].map(([name, { action, patterns }]): readonly [string, OrderedSetting] => {
    const notebooks = closed.includes(name) ? ([[NOTEBOOKS, "deny"]] as const) : [];
    if (patterns !== "all") {
      // To OpenCode, `git log > file` matches `git log`. Writing a file needs another permission.
      const redirects = name === "bash" && !mayEdit ? ([["*>*", "deny"]] as const) : [];
      const allowed = patterns.map((each) => [each, action] as const);
      return [name, [["*", "deny"], ...allowed, ...redirects, ...notebooks]];
    }
    // OpenCode's default without our rules: a list of tools does not ask to read secrets unprompted.
    if (name === "read") {
      return [name, [["*", action], ["*.env", "ask"], ["*.env.*", "ask"], ["*.env.example", action], ...notebooks]];
    }
    return [name, notebooks.length === 0 ? action : [["*", action], ...notebooks]];
  });
  if (allow === undefined) {
    const open = closed.filter((name) => !denied.includes(name));
    const permission: OrderedPermission = [
      ...granted,
      ...denied.map((name) => [name, "deny"] as const),
      ...open.map((name) => [name, [[NOTEBOOKS, "deny"]]] as const),
    ];
    return { kind: "translated", permission, notes };
  }
  const opened = denied.filter((name) => name.includes("*") || granted.some(([other]) => matchesWildcard(other, name)));
  const reopens = granted.some(([name]) => TOUCHES_FILES.includes(name));
  const permission: OrderedPermission = [
    ["*", "deny"],
    // This is not a tool: both programs ask before an agent with file access leaves the project.
    ...(reopens ? ([["external_directory", "ask"]] as const) : []),
    ...granted,
    ...opened.map((name) => [name, "deny"] as const),
  ];
  return { kind: "translated", permission, notes };
}

/** Adds what a rule allows; returns the reason if OpenCode could only allow more. */
function grant(
  grants: Grants,
  { tool, pattern }: Rule,
  { notes, unknown }: { readonly notes: string[]; readonly unknown: string[] },
): string | undefined {
  const notebook = notebookTools.get(tool);
  // OpenCode calls a server's tool `server_tool`.
  const slash = tool.indexOf("/");
  const parts = [tool.slice(0, Math.max(slash, 0)), tool.slice(slash + 1)];
  const joined = parts.map((part) => part.replace(/[^\w*-]/g, "_")).join("_");
  const isServerTool = slash !== -1 && !UNDERSCORED.some((other) => matchesWildcard(joined, other));
  const [name, read] = permissionOf.get(tool) ?? [notebook ?? (isServerTool ? joined : undefined), noPattern];
  if (name === undefined) {
    unknown.push(tool);
    return undefined;
  }
  const patterns = pattern === undefined ? "all" : read(pattern);
  if (patterns === undefined) return `OpenCode has no rule as narrow as "${tool}(${pattern})"`;
  // Another server's name may start with this one's, so the user decides.
  const action = name.endsWith("_*") ? "ask" : "allow";
  if (action === "ask") notes.push(`OpenCode asks before it uses a tool from the server "${tool.slice(0, -2)}"`);
  const known = grants.get(name)?.patterns ?? [];
  const more = notebook !== undefined && patterns === "all" ? [NOTEBOOKS] : patterns;
  grants.set(name, { action, patterns: known === "all" || more === "all" ? "all" : [...new Set([...known, ...more])] });
  return undefined;
}

/**
 * The parenthesized part of a Claude Code tool, as patterns that OpenCode matches no wider; `all` if there is
 * no limit; undefined if OpenCode cannot say it.
 */
type TranslatedPattern = "all" | readonly string[] | undefined;

/**
 * `git:*` is `git *`: both mean the command itself, and the command with any arguments.
 *
 * @example
 * shellPattern("npm run test:*"); // ["npm run test *"]
 */
export function shellPattern(pattern: string): TranslatedPattern {
  if (pattern === "*" || pattern === ":*") return "all";
  // To OpenCode, `?` is any character, a backslash is a slash, and some prefixes mean the user's home.
  if (/[?\\\p{Cc}]|^[~$]/u.test(pattern)) return undefined;
  return [pattern.endsWith(":*") ? `${pattern.slice(0, -":*".length)} *` : pattern];
}

/**
 * Claude reads paths as .gitignore does, where a `*` ends at a slash. In OpenCode it does not, so only forms are
 * accepted where that makes no difference.
 */
export function pathPattern(pattern: string): TranslatedPattern {
  const folder = String.raw`(?:(?!\.{1,2}/)[\w.@ -]+/)`;
  if (/^(?:\*|\*\*|\*\*\/\*)$/.test(pattern)) return "all";
  const ending = /^(?:\*\*\/)?\*(\.[\w.-]+)$/.exec(pattern)?.[1];
  if (ending !== undefined) return [`*${ending}`];
  const path = pattern.replace(/^\.?\/(?!\/)/, "");
  const [, below, endingBelow = ""] = new RegExp(String.raw`^(${folder}+)\*\*(?:/\*(\.[\w.-]+))?$`).exec(path) ?? [];
  if (below !== undefined) return [`${below}*${endingBelow}`];
  return new RegExp(String.raw`^${folder}*(?!\.{1,2}$)[\w.@ -]+$`).test(path) ? [path] : undefined;
}

/** OpenCode's name for a Claude Code agent that it has, too. */
export function opencodeAgent(name: string): string {
  return (
    new Map([
      ["general-purpose", "general"],
      ["Explore", "explore"],
    ]).get(name) ?? name
  );
}

/** `Task(worker, researcher)`: names of agents or skills. */
export function namePattern(pattern: string): TranslatedPattern {
  if (pattern.trim() === "*") return "all";
  const names = pattern.split(",").map((name) => name.trim());
  return names.every((name) => /^[\w][\w/:-]*$/.test(name)) ? names.map(opencodeAgent) : undefined;
}

/** For these, OpenCode knows only yes or no. */
export function noPattern(pattern: string): TranslatedPattern {
  return pattern === "*" ? "all" : undefined;
}
