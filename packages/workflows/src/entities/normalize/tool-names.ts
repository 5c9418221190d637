import { didYouMean } from "@atomic/terminal/suggest";
import { matchesWildcard } from "../../permission/wildcard.ts";
import type { Provider } from "../entity.ts";

/** One name for each tool, whatever its program calls it. Both names allow exactly the same. */
const sameTool = new Map([
  ["agent", "task"],
  ["apply_patch", "patch"],
  ["askuserquestion", "question"],
  ["ls", "list"],
  ["multiedit", "edit"],
]);

/** The tools that the hosts have in common. Servers and plugins add others. */
export const canonicalTools: ReadonlySet<string> = new Set(
  [
    "bash edit glob grep list lsp notebookedit notebookread patch powershell question read skill task",
    "todoread todowrite webfetch websearch write",
  ].flatMap((line) => line.split(" ")),
);

/** GitHub's published aliases for groups. Atomic reads them, too, except those that are also the name of a tool. */
const copilotGroups = new Map<string, readonly string[]>([
  ["agent", ["task"]],
  ["custom-agent", ["task"]],
  ["edit", ["edit", "write", "notebookedit"]],
  ["execute", ["bash"]],
  ["powershell", ["bash"]],
  ["read", ["read", "notebookread"]],
  ["search", ["grep", "glob"]],
  ["shell", ["bash"]],
  ["todo", ["todowrite"]],
  ["web", ["websearch", "webfetch"]],
]);
const atomicGroups = new Map([...copilotGroups].filter(([alias]) => !canonicalTools.has(alias)));

/** VS Code's names for tools that Copilot has. Most of VS Code's tools have no counterpart there, and allow nothing. */
const vscodeTools: readonly (readonly [string, readonly string[]])[] = [
  ["createdirectory", ["write"]],
  ["createfile", ["write"]],
  ["editfiles", ["edit"]],
  ["readfile", ["read"]],
  ["runcommands", ["bash"]],
  ["runinterminal", ["bash"]],
];
/** In VS Code, a tool may follow the name of its set: `edit/editFiles`, `execute/runInTerminal`. */
const VSCODE_SETS = ["edit", "execute", "read", "runcommands", "vscode"];

/** All names that the Copilot runtime 1.0 itself accepts for its tools. It does not tell editing from writing. */
const copilotNames = new Map<string, readonly string[]>([
  ...copilotGroups,
  ...["multiedit", "notebookedit", "write"].map((name) => [name, copilotGroups.get("edit") ?? []] as const),
  ["create", ["write"]],
  ["notebookread", ["read", "notebookread"]],
  ["update_todo", ["todowrite"]],
  ["view", ["read"]],
  ["web_fetch", ["webfetch"]],
  ["web_search", ["websearch"]],
  ...vscodeTools,
  ...VSCODE_SETS.flatMap((set) => vscodeTools.map(([name, tools]) => [`${set}/${name}`, tools] as const)),
]);

const groupsOf: Readonly<Partial<Record<Provider, ReadonlyMap<string, readonly string[]>>>> = {
  copilot: copilotNames,
  atomic: atomicGroups,
};

/**
 * The canonical names for a name in one of the provider's files: a known tool in lower case, an MCP server's tool as
 * `server/tool`, and anything else as written.
 */
export function canonicalToolNames(name: string, provider: Provider): readonly string[] {
  const lower = name.toLowerCase();
  const group = groupsOf[provider]?.get(lower);
  if (group !== undefined) return group;
  const same = sameTool.get(lower) ?? lower;
  if (canonicalTools.has(same)) return [same];
  // Claude writes `mcp__server__tool`, and `mcp__server` for all of a server's tools; Copilot writes `server/tool`.
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  return [server === undefined ? name : `${server}/${tool ?? "*"}`];
}

/** Only these support wildcards in tool names. The others support `*` for all tools and for all of a server's tools. */
const readsWildcards: ReadonlySet<Provider> = new Set(["opencode", "hugo"]);

/** Whether a name has a wildcard that the provider does not support: it allows nothing there, so not here either. */
export function isForeignWildcard(name: string, provider: Provider): boolean {
  if (readsWildcards.has(provider) || !name.includes("*") || name === "*") return false;
  return !/^(?:mcp__[^*]+__|[^*]+\/)\*$/.test(name);
}

/** The tools that OpenCode's permission `edit` covers. */
export const editTools: readonly string[] = ["edit", "write", "patch"];

/** All the tools that you mean when you say that no file may be edited. */
export const changesFiles: ReadonlySet<string> = new Set([...editTools, "notebookedit"]);

/** The tools whose patterns are paths. */
export const pathTools: ReadonlySet<string> = new Set([...changesFiles, "list", "notebookread", "read"]);

/** Whether a name with a wildcard matches one of `editTools`. */
export function coversSomeEdit(name: string): boolean {
  return /[*?]/.test(name) && editTools.some((tool) => matchesWildcard(name, tool));
}

/** Names that look like OpenCode permissions but are not: OpenCode accepts and ignores them. */
export const deadPermissions: ReadonlySet<string> = new Set(["write", "patch", "multiedit", "apply_patch", "todoread"]);

/** Claude compares tool names exactly, so `bash` allows nothing there. `undefined` if the spelling is right or unknown. */
export function claudeSpelling(name: string): string | undefined {
  const spelling = claudeNames.get(name.toLowerCase());
  return spelling === name ? undefined : spelling;
}

/** Whether Claude or another program has such a tool, but Claude not under exactly this name. */
export function isIgnoredByClaude(name: string): boolean {
  const isKnown = canonicalToolNames(name, "claude").some((tool) => canonicalTools.has(tool));
  return claudeSpelling(name) !== undefined || (isKnown && /^[a-z]/.test(name));
}

/** The tools of Claude Code 2.1, whichever of them a session has, and names that it still takes for one of them. */
const claudeTools = new Set(
  `Agent AgentOutputTool Artifact AskUserQuestion Bash BashOutput Brief ClaudeDesign Config CronCreate CronDelete CronList
  Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillBash KillShell LSP ListAgents
  ListMcpResourcesTool Monitor NotebookEdit PowerShell Projects ProposeGoal ProposeSkills PushNotification REPL Read
  ReadMcpResourceDirTool ReadMcpResourceTool ReadNotifications RefreshMcpTools RemoteTrigger ReportFindings
  ScheduleWakeup SendFeedback SendMessage SendUserFile SendUserMessage ShowOnboardingRolePicker Skill SlashCommand Sleep
  StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoWrite
  ToolSearch WaitForMcpServers WebBrowser WebFetch WebSearch Workflow Write`.split(/\s+/),
);

/** The tools of Claude that a misspelled name may mean. None for a name that Claude has, or that it or another program had. */
export function likelyClaudeTools(name: string): readonly string[] {
  const isKnown = canonicalToolNames(name, "claude").some((tool) => canonicalTools.has(tool));
  return isKnown || !isUnknownTo("claude", name) ? [] : didYouMean(name, claudeTools);
}

/** Tools of VS Code without a counterpart elsewhere; the others have a capital letter inside. */
const vscodeOnly = new Set("changes codebase extensions new problems think usages".split(" "));
const VSCODE_ONLY_SETS = new Set([...VSCODE_SETS, "agent", "search", "todo", "web"]);

/** Whether the tool has no tool of this name, neither of its own nor from a server. */
export function isUnknownTo(provider: "claude" | "copilot", name: string): boolean {
  if (name === "*") return false;
  if (provider === "claude") return !claudeTools.has(name) && !name.startsWith("mcp__");
  if (canonicalToolNames(name, "copilot").some((tool) => canonicalTools.has(tool))) return false;
  const [set = "", ...rest] = name.split("/");
  return rest.length > 0 ? VSCODE_ONLY_SETS.has(set.toLowerCase()) : vscodeOnly.has(name) || /^[a-z]+[A-Z]/.test(name);
}

const claudeNames = new Map(
  "Agent Bash Edit Glob Grep NotebookEdit Read Skill Task TodoWrite WebFetch WebSearch Write AskUserQuestion"
    .split(" ")
    .map((name) => [name.toLowerCase(), name]),
);
