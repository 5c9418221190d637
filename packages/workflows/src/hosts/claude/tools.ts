import { canonicalToolNames } from "../../entities/normalize/tool-names.ts";
import { otherToolNames } from "../../permission/server-tools.ts";
import { isWildcard } from "../../permission/wildcard.ts";
import type { SessionOptions } from "../host.ts";
import { staysInside } from "../own-files.ts";
import type { ToolDecision } from "./sdk.ts";

const claudeNames: ReadonlyMap<string, string> = new Map([
  ["question", "AskUserQuestion"],
  ["list", "LS"],
  ..."Bash Edit Glob Grep NotebookEdit NotebookRead Read Skill Task TodoRead TodoWrite WebFetch WebSearch Write"
    .split(" ")
    .map((name): [string, string] => [name.toLowerCase(), name]),
]);

export type ToolChoice = Pick<SessionOptions, "tools" | "deny">;

export function canonicalTool(name: string): string {
  return canonicalToolNames(name, "claude")[0] ?? name;
}

/** The SDK options about tools. `tools` does not cover MCP servers' tools, so if it names none of them, no server is started. */
export function toolOptions({ tools, deny = [] }: ToolChoice): Readonly<Record<string, unknown>> {
  // A workflow has its own node for questions; here no one could answer.
  if (tools === undefined) return { disallowedTools: ["AskUserQuestion", ...deny.flatMap(deniedNames)] };
  const builtin = tools.filter((tool) => !tool.includes("/")).map(claudeName);
  return {
    tools: builtin,
    strictMcpConfig: builtin.length === tools.length,
    disallowedTools: deny.flatMap(deniedNames),
  };
}

/** Claude's name for a tool. An MCP server's tool is `server/tool`; `server/*` is all of them. */
function claudeName(tool: string): string {
  const [server, name] = tool.split("/");
  if (name !== undefined) return name === "*" ? `mcp__${server}` : `mcp__${server}__${name}`;
  return claudeNames.get(tool) ?? tool;
}

/** OpenCode's rules say `server_tool`. What Claude cannot name, such as `git*`, is denied when it is called. */
function deniedNames(tool: string): string[] {
  const names = otherToolNames(tool).filter((name) => name.includes("/") && !isWildcard(name.replace(/\/\*$/, "")));
  return names.length > 0 && !claudeNames.has(tool) ? names.map(claudeName) : [claudeName(tool)];
}

/** Whether a session may use a tool. `server/*` stands for all of a server's tools. */
export function isAllowed(tool: string, tools: readonly string[] | undefined): boolean {
  return tools === undefined || tools.includes(tool) || tools.includes(tool.replace(/\/.*$/, "/*"));
}

const detailFields = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query", "prompt"];

/** The field that says what a call is about to do. */
export function detailOf(input: Readonly<Record<string, unknown>>): string {
  const field = detailFields.find((name) => typeof input[name] === "string");
  return field === undefined ? JSON.stringify(input) : String(input[field]);
}

// Claude asks us only where its settings say nothing and it sees no harm itself, so its rules, its hooks and its own list of
// harmless commands would all come before the run's policy. Two things put the policy first: our hook, which is called before
// all of these, and rules that make Claude ask even if that hook gets no answer.
export interface ClaudeToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Claude's own checks are enough for these: they only look, or take notes. */
const harmless: ReadonlySet<string> = new Set(
  [
    "AskUserQuestion EnterPlanMode ExitPlanMode Glob Grep LS LSP ListAgents NotebookRead Read ReportFindings",
    "BashOutput TaskCreate TaskGet TaskList TaskOutput TaskUpdate TodoRead TodoWrite ToolSearch",
  ].flatMap((line) => line.split(" ")),
);
const harmful = "Agent Bash Edit NotebookEdit PowerShell Skill Task WebFetch WebSearch Workflow Write".split(" ");

/** Among all settings about a tool, a denial wins, and then a question. */
export const askingSettings: Readonly<Record<string, unknown>> = { permissions: { ask: harmful } };

/** In seconds: a person may take days to answer, and a runtime's timers last at most 24 days. */
const answerTimeoutSeconds = 2_000_000;

/** The SDK's hooks, with one that asks `decide` about every call that could do harm. */
export function gateHooks(
  folder: string,
  decide: (call: ClaudeToolCall) => Promise<ToolDecision>,
  others: Readonly<Record<string, readonly unknown[]>> = {},
): Readonly<Record<string, unknown>> {
  const ours = {
    timeout: answerTimeoutSeconds,
    hooks: [
      async ({ tool_use_id: id, tool_name: name, tool_input: input }: HookInput) => {
        const isHarmless = harmless.has(name);
        // If a path cannot be resolved, for whatever reason, the policy decides.
        if (isHarmless && (await staysInside(folder, canonicalTool(name), input).catch(() => false))) return {};
        const decision = await decide({ id, name, input });
        return {
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: decision.behavior,
            ...(decision.behavior === "deny" && { permissionDecisionReason: decision.message }),
          },
        };
      },
    ],
  };
  return { ...others, PreToolUse: [...(others.PreToolUse ?? []), ours] };
}

interface HookInput {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
}
