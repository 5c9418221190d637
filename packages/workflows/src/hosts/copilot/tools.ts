import { otherToolNames } from "../../permission/server-tools.ts";
import type { SessionOptions } from "../host.ts";
import { staysInside } from "../own-files.ts";
import type { CopilotPermission, EventData } from "./sdk.ts";

/** Copilot's names for a tool. Those after the first one only help with it. */
const copilotNames: ReadonlyMap<string, readonly string[]> = new Map([
  ["bash", ["bash", "read_bash", "write_bash", "stop_bash", "list_bash"]],
  ["patch", ["apply_patch"]],
  ["question", ["ask_user"]],
  ["read", ["view"]],
  ["task", ["task", "read_agent", "list_agents", "write_agent"]],
  ["todowrite", ["update_todo"]],
  ["webfetch", ["web_fetch"]],
  ["websearch", ["web_search"]],
  ["write", ["create"]],
]);
const canonicalNames = new Map([...copilotNames].flatMap(([tool, [name = ""]]) => [[name, tool]]));

export function canonicalTool({ toolName = "", mcpServerName, mcpToolName }: EventData): string {
  if (mcpServerName !== undefined) return `${mcpServerName}/${mcpToolName ?? toolName}`;
  return canonicalNames.get(toolName) ?? toolName;
}

/** The SDK options about tools. */
export function toolOptions({ tools, deny }: Pick<SessionOptions, "tools" | "deny">): Record<string, unknown> {
  return {
    ...(tools !== undefined && { availableTools: tools.flatMap(namesOf) }),
    ...(deny !== undefined && {
      // OpenCode's rules say `server_tool`.
      excludedTools: deny.flatMap((tool) =>
        [tool, ...otherToolNames(tool).filter((name) => name.includes("/"))].flatMap(namesOf),
      ),
    }),
  };
}

function namesOf(tool: string): readonly string[] {
  return copilotNames.get(tool) ?? [tool.replace("/", "-")];
}

const toolOfKind: Readonly<Record<string, string>> = { shell: "bash", write: "edit", read: "read", url: "webfetch" };

const helpedTools = new Map([...copilotNames].flatMap(([tool, names]) => names.map((name) => [name, tool])));

/** The tool that a permission request is about. `called` has the calls so far. */
export function permissionTool(request: CopilotPermission, called: ReadonlyMap<string, string>): string {
  const { kind, toolCallId = "", serverName, toolName = "" } = request;
  const tool = helpedTools.get(toolName) ?? called.get(toolCallId) ?? toolOfKind[kind];
  if (tool !== undefined) return tool;
  return serverName === undefined ? toolName || kind : `${serverName}/${toolName}`;
}

const detailFields = ["command", "input", "path", "url", "pattern", "query", "prompt", "message"];

export function permissionDetail(request: CopilotPermission): string {
  const { fullCommandText, fileName, path, url, intention, toolArgs } = request;
  const field = detailFields.find((name) => typeof toolArgs?.[name] === "string");
  const argument = field === undefined ? undefined : String(toolArgs?.[field]);
  return fullCommandText ?? fileName ?? path ?? url ?? intention ?? argument ?? JSON.stringify(toolArgs ?? request);
}

/** Copilot's own checks are enough for these: they only look, or take notes. */
const harmless: ReadonlySet<string> = new Set(
  [
    "ask_user glob grep list_agents list_bash read_agent read_bash report_intent rg skill sql stop_bash update_todo view",
  ].flatMap((line) => line.split(" ")),
);

/**
 * The session's hook. Without it, the user's permanent approvals and the hooks in the project's files would come before the
 * run's policy. What those hooks deny stays denied.
 */
export async function askFirst(
  { toolName, toolArgs }: HookInput,
  folder: string,
): Promise<{ readonly permissionDecision: "ask" } | undefined> {
  // If a path cannot be resolved, for whatever reason, the policy decides.
  const staysHere = harmless.has(toolName) && (await staysInside(folder, toolName, toolArgs).catch(() => false));
  return staysHere ? undefined : { permissionDecision: "ask" };
}

export interface HookInput {
  readonly toolName: string;
  readonly toolArgs: unknown;
}
