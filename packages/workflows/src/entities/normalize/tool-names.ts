import { matchesWildcard } from "../../permission/wildcard.ts";
import type { Provider } from "../entity.ts";

/** One name for a tool, whatever its program calls it. All of these have exactly the same power. */
const sameTool = new Map([
  ["agent", "task"],
  ["apply_patch", "patch"],
  ["askuserquestion", "question"],
  ["ls", "list"],
  ["multiedit", "edit"],
]);

/** What the hosts have in common. Servers and plugins bring others. */
export const canonicalTools: ReadonlySet<string> = new Set(
  [
    "bash edit glob grep list lsp notebookedit notebookread patch powershell question read skill task",
    "todoread todowrite webfetch websearch write",
  ].flatMap((line) => line.split(" ")),
);

/** GitHub's published aliases that stand for a group. Atomic reads them too, save `edit`, which is a tool of its own. */
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

const groupsOf: Readonly<Partial<Record<Provider, ReadonlyMap<string, readonly string[]>>>> = {
  copilot: copilotGroups,
  atomic: atomicGroups,
};

/**
 * The canonical names that a name stands for in a file of `provider`. A known tool comes back in lower case, a tool of
 * an MCP server as `server/tool`, and anything else as it is written.
 */
export function canonicalToolNames(name: string, provider: Provider): readonly string[] {
  const lower = name.toLowerCase();
  const group = groupsOf[provider]?.get(lower);
  if (group !== undefined) return group;
  const same = sameTool.get(lower) ?? lower;
  if (canonicalTools.has(same)) return [same];
  // Claude writes `mcp__server__tool`, and `mcp__server` for all tools of a server; Copilot `server/tool`.
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  return [server === undefined ? name : `${server}/${tool ?? "*"}`];
}

/** Only these match names of tools by wildcards. The others know `*` for all tools, and for all tools of a server. */
const readsWildcards: ReadonlySet<Provider> = new Set(["opencode", "hugo"]);

/** Whether a name has a wildcard that opens nothing in a file of `provider`, and so must open nothing here. */
export function isForeignWildcard(name: string, provider: Provider): boolean {
  if (readsWildcards.has(provider) || !name.includes("*") || name === "*") return false;
  return !/^(?:mcp__[^*]+__|[^*]+\/)\*$/.test(name);
}

/** What the permission `edit` of OpenCode governs. */
export const editTools: readonly string[] = ["edit", "write", "patch"];

/** All that a person means who says that no file is to be edited. */
export const changesFiles: ReadonlySet<string> = new Set([...editTools, "notebookedit"]);

/** What they are asked about is a path. */
export const pathTools: ReadonlySet<string> = new Set([...changesFiles, "list", "notebookread", "read"]);

/** Whether a name with a wildcard is about one of them. */
export function coversSomeEdit(name: string): boolean {
  return /[*?]/.test(name) && editTools.some((tool) => matchesWildcard(name, tool));
}

/** Names that look like OpenCode permissions and are none: OpenCode accepts and ignores them. */
export const deadPermissions: ReadonlySet<string> = new Set(["write", "patch", "multiedit", "apply_patch", "todoread"]);

/** Claude compares tool names exactly, so `bash` allows nothing there. `undefined` if the spelling is right or unknown. */
export function claudeSpelling(name: string): string | undefined {
  const spelling = claudeNames.get(name.toLowerCase());
  return spelling === name ? undefined : spelling;
}

/** Whether Claude has a tool like this, or another program has, but none under exactly this name. */
export function isIgnoredByClaude(name: string): boolean {
  const isKnown = canonicalToolNames(name, "claude").some((tool) => canonicalTools.has(tool));
  return claudeSpelling(name) !== undefined || (isKnown && /^[a-z]/.test(name));
}

const claudeNames = new Map(
  "Agent Bash Edit Glob Grep NotebookEdit Read Skill Task TodoWrite WebFetch WebSearch Write AskUserQuestion"
    .split(" ")
    .map((name) => [name.toLowerCase(), name]),
);
