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
  ["create createdirectory createfile", ["Write"]],
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
 * The list with Claude Code's names for the tools that both have. What runs a single thing, such as `runTests`, has no
 * counterpart as narrow as that.
 *
 * @example
 * inClaudesWords(["edit/editFiles", "github/*"]); // ["Edit", "Write", "github/*"]
 */
export function inClaudesWords(tools: unknown): unknown {
  const list = typeof tools === "string" ? tools.split(",").map((name) => name.trim()) : tools;
  if (!Array.isArray(list)) return tools;
  const names = list.flatMap((name: unknown): readonly unknown[] => {
    if (typeof name !== "string") return [name];
    const [set = "", tool, ...more] = name.toLowerCase().split("/");
    const isSet = tool !== undefined && more.length === 0 && SETS.includes(set);
    return (
      claudesOf.get(isSet ? (tool === "*" ? set : tool) : name.toLowerCase()) ?? [isSet ? name.split("/")[1] : name]
    );
  });
  return [...new Set(names)];
}
