import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { packageCache } from "../opencode/loaded-from.ts";
import { readPackageTree } from "../packages/read-tree.ts";
import { compareTrees } from "../packages/tree.ts";
import type { Candidate } from "./candidate.ts";

/**
 * OpenCode's own copy of the same release, if something has changed it: OpenCode never compares it again. What Hugo
 * installs does not come from there, but an entry by name does, in this project or another.
 */
export function poisonedCache(
  context: Pick<Context, "env" | "home">,
  { packageName, version, tree }: Pick<Candidate, "packageName" | "version" | "tree">,
): string[] {
  const cache = packageCache(context, `${packageName}@${version}`);
  const folder = join(cache, "node_modules", packageName);
  if (!existsSync(folder)) return [];
  const [first, ...more] = differencesIn(folder, tree);
  if (first === undefined) return [];
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  return [
    `OpenCode's own copy of ${packageName} ${version} is not what the registry has: ${first}${others} differs. OpenCode loads it for entries by name; remove ${cache}, and find out what changed it.`,
  ];
}

function differencesIn(folder: string, tree: Candidate["tree"]): string[] {
  try {
    return compareTrees(tree, readPackageTree(folder)).map(({ path }) => path);
  } catch (error) {
    // It contains something that no package may have.
    if (error instanceof HugoError && error.code === "package-unsafe") return ["its list of files"];
    throw error;
  }
}
