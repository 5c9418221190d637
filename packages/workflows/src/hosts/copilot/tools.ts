import { isAbsolute, relative } from "node:path";
import type { SessionOptions } from "../host.ts";
import type { EventData, PermissionRequest } from "./sdk.ts";

/** What Copilot calls a tool. Those after the first one only help with it. */
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

/** What Copilot is told about its tools. */
export function toolOptions({ tools, deny }: Pick<SessionOptions, "tools" | "deny">): Record<string, unknown> {
  return {
    ...(tools !== undefined && { availableTools: tools.flatMap(namesOf) }),
    ...(deny !== undefined && { excludedTools: deny.flatMap(namesOf) }),
  };
}

function namesOf(tool: string): readonly string[] {
  return copilotNames.get(tool) ?? [tool.replace("/", "-")];
}

const toolOfKind: Readonly<Record<string, string>> = { shell: "bash", write: "edit", read: "read", url: "webfetch" };

/** The tool that a permission is about. `called` knows the calls so far. */
export function permissionTool(request: PermissionRequest, called: ReadonlyMap<string, string>): string {
  const { kind, toolCallId = "", serverName, toolName } = request;
  const tool = called.get(toolCallId) ?? toolOfKind[kind];
  if (tool !== undefined) return tool;
  return serverName === undefined ? (toolName ?? kind) : `${serverName}/${toolName}`;
}

export function permissionDetail(request: PermissionRequest): string {
  const { fullCommandText, fileName, path, url, intention } = request;
  return fullCommandText ?? fileName ?? path ?? url ?? intention ?? JSON.stringify(request);
}

/** Copilot asks about every file that it reads. In the folder that it works in this is no question: the others do not ask. */
export function isOwnFile({ kind, path }: PermissionRequest, folder: string): boolean {
  if (kind !== "read" || path === undefined) return false;
  const inside = relative(folder, path);
  return !isAbsolute(inside) && inside.split(/[\\/]/)[0] !== "..";
}
