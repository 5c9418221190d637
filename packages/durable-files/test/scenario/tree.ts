import * as fs from "node:fs";
import { join } from "node:path";

/** Everything below a folder, for comparison: file contents, link texts, and modes, without locks. */
export function tree(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of fs.readdirSync(folder, { recursive: true }) as string[]) {
    if (/(^|\/)lock(\/|$)/.test(name)) continue;
    const path = join(folder, name);
    const stat = fs.lstatSync(path);
    found[name] = `${(stat.mode & 0o7777).toString(8)} ${contentOf(path, stat)}`;
  }
  return found;
}

function contentOf(path: string, stat: fs.Stats): string {
  if (stat.isSymbolicLink()) return `-> ${fs.readlinkSync(path)}`;
  return stat.isFile() ? fs.readFileSync(path, "utf8") : "";
}
