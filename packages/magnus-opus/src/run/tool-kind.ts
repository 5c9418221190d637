// What a tool does, by its name. A name that is not here can do anything.

/** `state`: ours, and checks for itself. `unknown`: everything of other plugins and servers. */
export type ToolKind = "read" | "state" | "tests" | "review" | "edit" | "shell" | "delegate" | "unknown";

const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ...["read", "glob", "grep", "list", "ls", "lsp", "webfetch", "websearch", "codesearch"].map(as("read")),
  ...["todowrite", "todoread", "skill", "question", "invalid"].map(as("read")),
  ...["magnus_start", "magnus_next", "magnus_status", "magnus_sessions"].map(as("state")),
  ...["run_tests"].map(as("tests")),
  ...["submit_review"].map(as("review")),
  ...["edit", "write", "apply_patch", "patch", "multiedit"].map(as("edit")),
  ...["bash", "shell"].map(as("shell")),
  ...["task"].map(as("delegate")),
]);

function as(kind: ToolKind): (name: string) => [string, ToolKind] {
  return (name) => [name, kind];
}

/** `readOnly`: names, or beginnings of names with `*`, of tools that a person says only read. */
export function kindOf(tool: string, readOnly: readonly string[]): ToolKind {
  const known = kinds.get(tool.toLowerCase());
  if (known !== undefined) return known;
  const isReading = readOnly.some((name) => (name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name));
  return isReading ? "read" : "unknown";
}

/** The files that an edit would write; undefined if it does not tell. */
export function editedPaths(tool: string, args: unknown): readonly string[] | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const { filePath, patchText } = args as Record<string, unknown>;
  if (tool.toLowerCase().includes("patch")) return typeof patchText === "string" ? patchedPaths(patchText) : undefined;
  return typeof filePath === "string" && filePath !== "" ? [filePath] : undefined;
}

function patchedPaths(text: string): readonly string[] | undefined {
  const headers = text.split(/\r\n|[\r\n]/).filter((line) => /^\s*\*\*\*/.test(line));
  const paths: string[] = [];
  for (const header of headers) {
    if (/^\s*\*\*\* (Begin Patch|End Patch|End of File)\s*$/.test(header)) continue;
    const path = /^\s*\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$/.exec(header)?.[1];
    if (path === undefined) return undefined;
    paths.push(path);
  }
  return paths.length > 0 ? paths : undefined;
}
