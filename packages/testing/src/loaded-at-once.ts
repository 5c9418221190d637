import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The texts of a JavaScript file and of all files that it imports at once, directly or not, by path. */
export function loadedAtOnce(file: string, found: Map<string, string> = new Map()): ReadonlyMap<string, string> {
  if (found.has(file)) return found;
  const text = readFileSync(file, "utf8");
  found.set(file, text);
  for (const { kind, path } of new Bun.Transpiler({ loader: "js" }).scan(text).imports) {
    if (kind === "import-statement" && path.startsWith(".")) loadedAtOnce(join(dirname(file), path), found);
  }
  return found;
}
