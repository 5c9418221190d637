// Agents for GitHub Copilot and VS Code name their tools differently from Claude Code.

/** Where Copilot and VS Code keep agents, and how they mark them. */
export function isCopilots(source: string): boolean {
  return /\.(?:agent|chatmode)\.md$|(?:^|\/)\.github\/agents\/[^/]+\.md$/i.test(source);
}

/** VS Code groups its tools in sets: `edit/editFiles`, `web/fetch`. Anything else before a slash is a server. */
const SETS = ["agent", "edit", "execute", "read", "runcommands", "search", "todo", "vscode", "web"];
/** A search shows what is in files, so it is not less than reading them. */
const SEARCH = ["Read", "Grep", "Glob", "LS"];

/** Claude Code's names. */
const TOOLS: readonly (readonly [names: string, claudes: readonly string[]])[] = [
  ["agent custom-agent runsubagent", ["Task"]],
  ["codebase search textsearch", SEARCH],
  ["edit editfiles", ["Edit", "Write"]],
  ["execute powershell runcommands runinterminal shell", ["Bash"]],
  ["fetch web_fetch", ["WebFetch"]],
  ["filesearch findtestfiles", ["Glob"]],
  ["listdirectory", ["LS"]],
  ["managetodolist todo todos update_todo", ["TodoWrite"]],
  ["read readfile view", ["Read"]],
  ["usages", ["Grep"]],
  ["web", ["WebFetch", "WebSearch"]],
  ["web_search websearch", ["WebSearch"]],
];
const claudesOf = new Map(
  TOOLS.flatMap(([names, claudes]) => names.split(" ").map((name) => [name, claudes] as const)),
);

/**
 * The list with Claude Code's names for the tools that both have. What does a single thing, such as `runTests` or
 * `createFile`, has no counterpart as narrow as that.
 *
 * @example
 * inClaudesWords(["edit/editFiles", "github/*"]); // ["Edit", "Write", "github/*"]
 */
export function inClaudesWords(tools: unknown): unknown {
  const list = typeof tools === "string" ? tools.split(",").map((name) => name.trim()) : tools;
  if (!Array.isArray(list)) return tools;
  const names = list.flatMap((name: unknown): readonly unknown[] => {
    if (typeof name !== "string") return [name];
    const [set = "", ...tools] = name.toLowerCase().split("/");
    if (tools.length === 0 || !SETS.includes(set)) return claudesOf.get(name.toLowerCase()) ?? [name];
    const tool = tools.join("/").trim();
    // Without the slash it is not taken for a server's tool, and no part of it for one of Claude Code's.
    return claudesOf.get(tool === "*" ? set : tool) ?? [name.replaceAll(/[/* ]+/g, ":")];
  });
  return [...new Set(names)];
}
