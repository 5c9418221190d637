/**
 * The last JSON document in what a program printed, one that stands on lines of its own. Plugins print whatever they
 * like on the same stream, before it and after it.
 */
export function lastJson(printed: string): unknown {
  const lines = printed.split(/\r?\n/);
  for (let start = lines.length - 1; start >= 0; start--) {
    const value = documentAt(lines, start);
    if (value !== undefined) return value;
  }
  return undefined;
}

const CLOSES: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
]);

/** OpenCode indents: only the brackets of the document itself stand at the start of a line. */
function documentAt(lines: readonly string[], start: number): unknown {
  const line = lines[start] ?? "";
  if (line === "[]" || line === "{}") return JSON.parse(line);
  const closing = CLOSES.get(line);
  const end = closing === undefined ? -1 : lines.indexOf(closing, start);
  if (end === -1) return undefined;
  try {
    return JSON.parse(lines.slice(start, end + 1).join("\n"));
  } catch (error) {
    // Something else that looks like it; an earlier line may be the right one.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
