import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import type { LockedDependencies } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../errors.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import { hashTree } from "../../packages/tree.ts";
import { isForThisSystem } from "../../sources/dependencies/this-system.ts";
import { DEPENDENCY_LIMITS } from "../../sources/limits.ts";
import { namesIn } from "./disk.ts";

/** A package below `node_modules` that is not as the lock says. */
export interface DependencyProblem {
  /** `zod`, or `glob/node_modules/minimatch`. */
  readonly path: string;
  readonly how: "missing" | "changed" | "added";
}

/**
 * Hashes a plugin's dependencies again. One that was locked on another system has no hash of its files: it was compared
 * when it was fetched, and here only has to be there.
 *
 * @param modules The `node_modules` that holds the package and what it needs.
 */
export function checkDependencies(
  modules: string,
  packageName: string,
  dependencies: LockedDependencies = new Map(),
): DependencyProblem[] {
  const expected = [...dependencies].filter(([, dependency]) => isForThisSystem(dependency)).sort();
  const known = new Set([packageName, ...expected.map(([path]) => path)]);
  const added = ["", ...known].flatMap((path) => packagesIn(modules, path).filter((found) => !known.has(found)));
  const problems = expected.flatMap(([path, { tree }]): DependencyProblem[] => {
    if (!existsSync(join(modules, path))) return [{ path, how: "missing" }];
    return tree === undefined || hashIn(modules, path) === tree ? [] : [{ path, how: "changed" }];
  });
  return [...problems, ...[...new Set(added)].sort().map((path) => ({ path, how: "added" }) as const)];
}

/** Undefined if it contains something that no package may have. */
function hashIn(modules: string, path: string): string | undefined {
  try {
    return hashTree(readPackageTree(joinInside(modules, path), DEPENDENCY_LIMITS));
  } catch (error) {
    if (error instanceof DurableError || (error instanceof HugoError && error.code === "package-unsafe"))
      return undefined;
    throw error;
  }
}

/** What `import` finds in the `node_modules` of a package, or at the top. */
function packagesIn(modules: string, path: string): string[] {
  const [folder, prefix] = path === "" ? [modules, ""] : [join(modules, path, "node_modules"), `${path}/node_modules/`];
  if (!existsSync(folder)) return [];
  return namesIn(folder).flatMap((name) => {
    const names =
      name.startsWith("@") && statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory()
        ? namesIn(join(folder, name)).map((each) => `${name}/${each}`)
        : [name];
    return names.map((each) => `${prefix}${each}`);
  });
}
