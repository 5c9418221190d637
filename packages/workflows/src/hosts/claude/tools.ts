import { canonicalToolNames } from "../../entities/normalize/tool-names.ts";
import { otherToolNames } from "../../permission/server-tools.ts";
import { isWildcard } from "../../permission/wildcard.ts";
import type { SessionOptions } from "../host.ts";
import { staysInside } from "../own-files.ts";
import type { ToolDecision } from "./sdk.ts";

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
  // A workflow has its own node for questions; here no one could answer them.
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

// Who decides about a tool call. Claude asks us only where its settings say nothing and it sees no harm itself, so its rules,
// its hooks and its own list of harmless commands would all come before the policy of the run. Two things put the policy first:
// a hook of ours, which is asked before all of these, and rules that make Claude ask even if nobody answers that hook.
export interface ClaudeToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Claude's own flow, in which its settings have a say, is enough for these: they look, or note something down. */
const harmless: ReadonlySet<string> = new Set(
  [
    "AskUserQuestion EnterPlanMode ExitPlanMode Glob Grep LS LSP ListAgents NotebookRead Read ReportFindings",
    "BashOutput TaskCreate TaskGet TaskList TaskOutput TaskUpdate TodoRead TodoWrite ToolSearch",
  ].flatMap((line) => line.split(" ")),
);
const harmful = "Agent Bash Edit NotebookEdit PowerShell Skill Task WebFetch WebSearch Workflow Write".split(" ");

/** Rules of the highest rank: of all that settings say about a tool, a denial counts most, and then a question. */
export const askingSettings: Readonly<Record<string, unknown>> = { permissions: { ask: harmful } };

/** In seconds. A person may take days, and the timers of a runtime end after 24. */
const patience = 2_000_000;

/** The options of the SDK by which `decide` is asked about every call that could do harm. */
export function gateHooks(
  folder: string,
  decide: (call: ClaudeToolCall) => Promise<ToolDecision>,
  others: Readonly<Record<string, readonly unknown[]>> = {},
): Readonly<Record<string, unknown>> {
  const hook = async ({ tool_use_id: id, tool_name: name, tool_input: input }: HookInput): Promise<HookOutput> => {
    // A path that cannot be followed, whatever the reason, is for the policy.
    const staysHere = harmless.has(name) && (await staysInside(folder, canonicalTool(name), input).catch(() => false));
    if (staysHere) return {};
    const decision = await decide({ id, name, input });
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: decision.behavior,
        ...(decision.behavior === "deny" && { permissionDecisionReason: decision.message }),
      },
    };
  };
  return { ...others, PreToolUse: [...(others.PreToolUse ?? []), { timeout: patience, hooks: [hook] }] };
}

interface HookInput {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
}

interface HookOutput {
  readonly hookSpecificOutput?: {
    readonly hookEventName: "PreToolUse";
    readonly permissionDecision: "allow" | "deny";
    readonly permissionDecisionReason?: string;
  };
}
