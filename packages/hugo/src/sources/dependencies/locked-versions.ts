import type { LockedDependencies, LockedDependency } from "@atomic/workflows/internal/hugo-lock/lock";
import { compareVersions } from "../registry/version.ts";

/** The package in a folder below `node_modules`, which an alias calls otherwise. */
export function lockedName(path: string, { name }: Pick<LockedDependency, "name">): string {
  return name ?? path.split("/node_modules/").at(-1)!;
}

/** By package, each with all its versions, the oldest first. */
export function lockedVersions(dependencies: LockedDependencies = new Map()): Map<string, string[]> {
  const versions = new Map<string, Set<string>>();
  for (const [path, dependency] of dependencies) {
    const name = lockedName(path, dependency);
    versions.set(name, (versions.get(name) ?? new Set()).add(dependency.version));
  }
  return new Map([...versions.keys()].sort().map((name) => [name, [...versions.get(name)!].sort(compareVersions)]));
}
