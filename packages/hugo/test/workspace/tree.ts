import * as fs from "node:fs";
import { join } from "node:path";

/**
 * Everything below a folder, for comparison: mode and content of files, text of links, and folders. Left out are git,
 * and the lock of the state folder, which counts how often it was taken.
 */
export function treeOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of (fs.readdirSync(folder, { recursive: true }) as string[]).sort()) {
    if (/^\.git(?:\/|$)|\.hugo\/lock(?:\/|$)|node_modules\/?$/.test(name)) continue;
    const stat = fs.lstatSync(join(folder, name));
    found[name] = `${(stat.mode & 0o7777).toString(8)} ${contentOf(join(folder, name), stat)}`;
  }
  return found;
}

function contentOf(path: string, stat: fs.Stats): string {
  if (stat.isSymbolicLink()) return `-> ${fs.readlinkSync(path)}`;
  return stat.isFile() ? fs.readFileSync(path, "utf8") : "/";
}
