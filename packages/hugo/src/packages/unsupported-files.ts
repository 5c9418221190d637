import type { Manifest } from "./manifest.ts";
import type { PackageTree } from "./tree.ts";

/** Files that do something in Claude Code and that nobody copies, each with what that means. */
const LEFT_BEHIND: readonly (readonly [path: string, meaning: string])[] = [
  ["hooks/hooks.json", "OpenCode runs no hooks of Claude Code."],
  [".mcp.json", "Its MCP servers are only there if you add them to opencode.json yourself."],
];

/** What of a package that is copied does not arrive, though its author may count on it. */
export function unsupportedFiles(tree: PackageTree, { delivery }: Manifest): string[] {
  if (delivery.kind === "plugin") return [];
  const there = LEFT_BEHIND.filter(([path]) => tree.has(path));
  return there.map(([path, meaning]) => `Not installed: ${path}. ${meaning}`);
}
