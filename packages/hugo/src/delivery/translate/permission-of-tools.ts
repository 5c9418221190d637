import type { ToolRestrictions } from "@atomic/workflows/internal/entities/normalize/restrictions";
import { matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";
import type { Permission, Setting } from "./permission.ts";
import { namePattern, noPattern, pathPattern, shellPattern, type TranslatedPattern } from "./tool-pattern.ts";

type Rule = NonNullable<ToolRestrictions["allow"]>[number];

export type TranslatedTools =
  | { readonly kind: "translated"; readonly permission: Permission; readonly notes: readonly string[] }
  /** OpenCode has no rule that allows so little. */
  | { readonly kind: "stopped"; readonly because: string };

/** OpenCode's permission for a tool, and how it reads patterns. */
const permissionOf: ReadonlyMap<string, readonly [permission: string, read: (pattern: string) => TranslatedPattern]> =
  new Map([
    ["read", ["read", pathPattern]],
    // Who may change a file may as well write it: OpenCode has one permission for both, and Claude's Edit makes files, too.
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
/** Claude has tools of their own for notebooks, OpenCode has not. */
const notebookTools: ReadonlyMap<string, string> = new Map([
  ["notebookread", "read"],
  ["notebookedit", "edit"],
]);
const NOTEBOOKS = "*.ipynb";
/** Permissions that are no tools of an MCP server, though they look like it. */
const UNDERSCORED = ["external_directory", "doom_loop", "plan_enter", "plan_exit", "apply_patch"];
const TOUCHES_FILES = ["read", "edit", "bash", "glob", "grep", "list"];

/** What may be used, by permission. */
type Grants = Map<string, { readonly action: "allow" | "ask"; readonly patterns: "all" | readonly string[] }>;

/**
 * Claude's lists of tools as OpenCode's permission, never wider: what is not listed is denied, and where OpenCode knows
 * no rule that is as narrow, nothing is translated.
 *
 * @example
 * permissionOfTools({ allow: [{ tool: "bash", pattern: "git:*" }] });
 */
export function permissionOfTools({ allow, deny = [] }: ToolRestrictions): TranslatedTools {
  const notes: string[] = [];
  const grants: Grants = new Map();
  for (const rule of allow ?? []) {
    const because = grant(grants, rule, notes);
    if (because !== undefined) return { kind: "stopped", because };
  }
  const wild = deny.find(({ tool }) => tool.includes("*") && !tool.includes("/"));
  if (wild !== undefined) return stopped(`OpenCode cannot deny the tools that Claude Code names like "${wild.tool}"`);
  const denied = deniedPermissions(deny);
  noteTogether(deny, allow, notes);
  for (const name of denied) grants.delete(name);
  const closed = notebooksClosed(deny);
  const mayAll = allow === undefined ? !takesAway(denied, closed) : mayDoAnything(grants, closed);
  if ((allow === undefined ? !denied.includes("task") : grants.has("task")) && !mayAll) {
    grants.delete("task");
    if (allow === undefined) denied.push("task");
    notes.push("In OpenCode it cannot start other agents, as they could do what it cannot do itself");
  }
  const granted = [...grants].map(([name, { action, patterns }]): Permission[number] => [
    name,
    settingOf(name, action, patterns, { mayEdit: grants.get("edit")?.patterns === "all", closed }),
  ]);
  const isOpened = (name: string): boolean =>
    name.includes("*") || granted.some(([other]) => matchesWildcard(other, name));
  const reopens = granted.some(([name]) => TOUCHES_FILES.includes(name));
  const permission: Permission = [
    ...(allow === undefined ? [] : ([["*", "deny"]] as const)),
    // It is no tool: whoever works with files is asked before it leaves the project, by both programs.
    ...(allow !== undefined && reopens ? ([["external_directory", "ask"]] as const) : []),
    ...granted,
    ...denied.filter((name) => allow === undefined || isOpened(name)).map((name) => [name, "deny"] as const),
    ...(allow === undefined ? closedNotebooks(closed, denied) : []),
  ];
  return { kind: "translated", permission, notes };
}

/** Whoever changes files and runs commands gains nothing by an agent that does it instead. */
function mayDoAnything(grants: Grants, closed: readonly string[]): boolean {
  return !closed.includes("edit") && ["edit", "bash"].every((name) => grants.get(name)?.patterns === "all");
}

/** The same of an agent that has all but what is denied. */
function takesAway(denied: readonly string[], closed: readonly string[]): boolean {
  return closed.includes("edit") || ["edit", "bash"].some((name) => denied.includes(name));
}

function stopped(because: string): TranslatedTools {
  return { kind: "stopped", because };
}

/** Adds what a rule allows; says why not if OpenCode could only allow more. */
function grant(grants: Grants, { tool, pattern }: Rule, notes: string[]): string | undefined {
  const notebook = notebookTools.get(tool);
  const [name, read] = permissionOf.get(tool) ?? [notebook ?? serverTool(tool), noPattern];
  if (name === undefined) {
    notes.push(`OpenCode has no tool ${JSON.stringify(tool)}, so it is not among the allowed ones`);
    return undefined;
  }
  const patterns = pattern === undefined ? "all" : read(pattern);
  if (patterns === undefined) return `OpenCode has no rule as narrow as "${tool}(${pattern})"`;
  // Another server may have a name that starts like this one's: let a person decide.
  const action = name.endsWith("_*") ? "ask" : "allow";
  if (action === "ask") notes.push(`OpenCode asks before it uses a tool of the server "${tool.slice(0, -2)}"`);
  const known = grants.get(name)?.patterns ?? [];
  const more = notebook !== undefined && patterns === "all" ? [NOTEBOOKS] : patterns;
  grants.set(name, { action, patterns: known === "all" || more === "all" ? "all" : [...new Set([...known, ...more])] });
  return undefined;
}

/** OpenCode calls the tool `tool` of the server `server` `server_tool`. */
function serverTool(tool: string): string | undefined {
  const slash = tool.indexOf("/");
  if (slash === -1) return undefined;
  const name = [tool.slice(0, slash), tool.slice(slash + 1)].map((part) => part.replace(/[^\w*-]/g, "_")).join("_");
  return UNDERSCORED.some((other) => matchesWildcard(name, other)) ? undefined : name;
}

interface Limits {
  readonly mayEdit: boolean;
  /** Permissions that are denied for notebooks. */
  readonly closed: readonly string[];
}

function settingOf(
  name: string,
  action: "allow" | "ask",
  patterns: "all" | readonly string[],
  { mayEdit, closed }: Limits,
): Setting {
  const notebooks = closed.includes(name) ? ([[NOTEBOOKS, "deny"]] as const) : [];
  if (patterns !== "all") {
    // OpenCode takes `git log > file` for a kind of `git log`. To write a file is another permission, if it is given.
    const redirects = name === "bash" && !mayEdit ? ([["*>*", "deny"]] as const) : [];
    return [["*", "deny"], ...patterns.map((each) => [each, action] as const), ...redirects, ...notebooks];
  }
  // As OpenCode has it without any rule of ours: a list of tools is no wish to read secrets unasked.
  if (name === "read") {
    return [["*", action], ["*.env", "ask"], ["*.env.*", "ask"], ["*.env.example", action], ...notebooks];
  }
  return notebooks.length === 0 ? action : [["*", action], ...notebooks];
}

function deniedPermissions(deny: readonly Rule[]): string[] {
  const tools = deny.map(({ tool }) => tool).filter((tool) => !notebookTools.has(tool));
  // What OpenCode does not know may be the tool of a plugin or, with a slash, that of a server.
  return [...new Set(tools.map((tool) => permissionOf.get(tool)?.[0] ?? tool.replace(/[^\w*-]/g, "_")))];
}

function notebooksClosed(deny: readonly Rule[]): string[] {
  return deny.flatMap(({ tool }) => notebookTools.get(tool) ?? []);
}

function closedNotebooks(closed: readonly string[], denied: readonly string[]): Permission {
  return closed.filter((name) => !denied.includes(name)).map((name) => [name, [[NOTEBOOKS, "deny"]]]);
}

/** Claude can take away the one and leave the other. */
function noteTogether(deny: readonly Rule[], allow: readonly Rule[] | undefined, notes: string[]): void {
  const denied = new Set(deny.map(({ tool }) => tool));
  const [taken, left] = denied.has("edit") ? ["Edit", "Write"] : ["Write", "Edit"];
  const isLeft = allow === undefined || allow.some(({ tool }) => tool === left.toLowerCase());
  if (denied.has("edit") !== denied.has("write") && isLeft) {
    notes.push(`OpenCode has one permission for Edit and Write, so ${left} is taken away along with ${taken}`);
  }
}
