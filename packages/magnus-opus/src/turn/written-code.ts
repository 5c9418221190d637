// The code that a call of one of OpenCode's tools wrote, by file, and what it replaced.

export interface WrittenCode {
  readonly path: string;
  readonly code: string;
  readonly before: string;
}

/** Empty if the tool writes nothing, or says it differently. */
export function writtenBy(tool: string, args: unknown): readonly WrittenCode[] {
  const { filePath, content, oldString, newString, patchText } = (args ?? {}) as Readonly<Record<string, unknown>>;
  if (tool === "apply_patch") return typeof patchText === "string" ? writtenByPatch(patchText) : [];
  const code = tool === "write" ? content : tool === "edit" ? newString : undefined;
  if (typeof filePath !== "string" || typeof code !== "string") return [];
  return [{ path: filePath, code, before: tool === "edit" && typeof oldString === "string" ? oldString : "" }];
}

/** Lines that begin with `+` are new; all others were there before. */
function writtenByPatch(patchText: string): readonly WrittenCode[] {
  const files: { path: string; code: string[]; before: string[] }[] = [];
  for (const line of patchText.split("\n")) {
    const [, header, path = ""] = /^\*\*\* (Add File|Update File|Move to): *(.*?)\s*$/.exec(line) ?? [];
    const file = files.at(-1);
    if (header === "Move to" && file !== undefined) file.path = path;
    else if (header !== undefined) files.push({ path, code: [], before: [] });
    else if (line.startsWith("+")) file?.code.push(line.slice(1));
    else if (/^[- ]/.test(line)) file?.before.push(line.slice(1));
  }
  return files.map(({ path, code, before }) => ({ path, code: code.join("\n"), before: before.join("\n") }));
}
