// What a tool does, by its name. An unlisted tool can do anything.
import { whyNotReadOnly } from "./read-only-shell.ts";

/** `state`: our own, which check themselves. `unknown`: tools of other plugins and servers. */
export type ToolKind = "read" | "state" | "tests" | "review" | "edit" | "shell" | "delegate" | "unknown";

/** OpenCode's exact names, and ours. Any other name may belong to a plugin, even if it sounds harmless. */
const tools: Readonly<Record<Exclude<ToolKind, "unknown">, readonly string[]>> = {
  read: ["read", "glob", "grep", "lsp", "webfetch", "websearch", "todowrite", "skill", "question", "invalid"],
  state: [
    ...["magnus_start", "magnus_next", "magnus_review", "magnus_status", "magnus_sessions"],
    ...["background_output", "background_cancel", "background_list"],
  ],
  tests: ["run_tests"],
  review: ["submit_review"],
  edit: ["edit", "write", "apply_patch"],
  shell: ["bash"],
  delegate: ["task", "delegate_task", "background_task"],
};
const kinds: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(tools).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind])),
);

/** `readOnly`: names or `prefix*` patterns of tools that the user declares read-only. */
export function kindOf(tool: string, readOnly: readonly string[]): ToolKind {
  const known = kinds.get(tool);
  if (known !== undefined) return known;
  const isReading = readOnly.some((name) => (name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name));
  return isReading ? "read" : "unknown";
}

const pageTool =
  /^(?:playwright_browser_|chrome-devtools_)(?:navigate|new_page|close|list_|get_|select_|take_|snapshot|resize|emulate|hover|click|drag|type|fill|press_key|wait_for|tabs|console_messages|network_requests|handle_dialog|evaluate)/;

/** Whether a browser tool stays within the page: it names no file and runs nothing on this machine. */
export function staysInPage(tool: string, args: unknown): boolean {
  const names = typeof args === "object" && args !== null ? Object.keys(args) : [];
  return pageTool.test(tool) && !names.some((name) => /file|path/i.test(name));
}

/** The files that an edit would write; undefined if unknown. */
export function editedPaths(tool: string, args: unknown): readonly string[] | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const { filePath, patchText } = args as Record<string, unknown>;
  if (tool !== "apply_patch") return typeof filePath === "string" && filePath !== "" ? [filePath] : undefined;
  if (typeof patchText !== "string") return undefined;
  const paths: string[] = [];
  // As OpenCode reads it: only a line feed ends a line, so a carriage return can be part of a path.
  for (const line of patchText.split("\n").filter((each) => each.startsWith("***"))) {
    if (/^\*\*\* (Begin Patch|End Patch|End of File)\s*$/.test(line)) continue;
    const path = /^\*\*\* (?:Add File|Update File|Delete File|Move to):(.*)$/s.exec(line)?.[1]?.trim();
    if (path === undefined || path === "" || /\p{Cc}/u.test(path)) return undefined;
    paths.push(path);
  }
  return paths.length > 0 ? paths : undefined;
}

/** Whether this call may run programs that an agent chose or wrote: a shell, tests, other plugins' tools. */
export function mayRunPrograms(tool: string, args: unknown, readOnlyTools: readonly string[]): boolean {
  const kind = kindOf(tool, readOnlyTools);
  if (kind !== "shell") return kind === "unknown" || kind === "tests";
  const command = typeof args === "object" && args !== null ? (args as { command?: unknown }).command : undefined;
  return whyNotReadOnly(command) !== undefined;
}
