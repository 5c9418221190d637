import { canonicalToolNames } from "../../entities/normalize/tool-names.ts";
import { otherToolNames } from "../../permission/server-tools.ts";
import { isWildcard } from "../../permission/wildcard.ts";
import type { SessionOptions } from "../host.ts";

const claudeNames: ReadonlyMap<string, string> = new Map([
  ["question", "AskUserQuestion"],
  ["list", "LS"],
  ...[
    "Bash Edit Glob Grep NotebookEdit NotebookRead Read Skill Task TodoRead TodoWrite WebFetch WebSearch Write",
  ].flatMap((line) => line.split(" ").map((name): [string, string] => [name.toLowerCase(), name])),
]);

export type ToolChoice = Pick<SessionOptions, "tools" | "deny">;

export function canonicalTool(name: string): string {
  return canonicalToolNames(name, "claude")[0] ?? name;
}

/** What Claude is told about its tools. Those of MCP servers are not covered by `tools`, so without any there are no servers. */
export function toolOptions({ tools, deny = [] }: ToolChoice): Readonly<Record<string, unknown>> {
  // A workflow has its own node for questions; here nobody could answer them.
  if (tools === undefined) return { disallowedTools: ["AskUserQuestion", ...deny.flatMap(deniedNames)] };
  const builtin = tools.filter((tool) => !tool.includes("/")).map(claudeName);
  return {
    tools: builtin,
    strictMcpConfig: builtin.length === tools.length,
    disallowedTools: deny.flatMap(deniedNames),
  };
}

/** Of MCP servers: `server/tool`, or all tools of one as `server/*`. */
function claudeName(tool: string): string {
  const [server, name] = tool.split("/");
  if (name !== undefined) return name === "*" ? `mcp__${server}` : `mcp__${server}__${name}`;
  return claudeNames.get(tool) ?? tool;
}

/** A rule for OpenCode has `server_tool`. What Claude knows no name for, such as `git*`, is denied when it is called. */
function deniedNames(tool: string): string[] {
  const names = otherToolNames(tool).filter((name) => name.includes("/") && !isWildcard(name.replace(/\/\*$/, "")));
  return names.length > 0 && !claudeNames.has(tool) ? names.map(claudeName) : [claudeName(tool)];
}

/** Whether a tool is among those of the session. A server's tools can be named all at once. */
export function isAllowed(tool: string, tools: readonly string[] | undefined): boolean {
  return tools === undefined || tools.includes(tool) || tools.includes(tool.replace(/\/.*$/, "/*"));
}

const telling = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query", "prompt"];

/** The one field that says what a tool is about to do. */
export function detailOf(input: Readonly<Record<string, unknown>>): string {
  const field = telling.find((name) => typeof input[name] === "string");
  return field === undefined ? JSON.stringify(input) : String(input[field]);
}
