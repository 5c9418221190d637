// What an install or an update does to the packages that a plugin's code needs.

import { count } from "@atomic/terminal/count";
import type { LockedDependencies, LockedDependency } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Capability } from "../packages/capability.ts";

interface ChangedDependencies {
  /** Packages that were not there before in any version. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** By package, with all its versions: where they are on the disk does not matter to a reader. */
function changedDependencies(
  before: LockedDependencies | undefined,
  after: LockedDependencies | undefined,
): ChangedDependencies {
  const [was, is] = [versionsIn(before), versionsIn(after)];
  return {
    added: [...is.keys()].filter((name) => !was.has(name)),
    changed: [...is.keys()].filter((name) => was.has(name) && was.get(name) !== is.get(name)),
    removed: [...was.keys()].filter((name) => !is.has(name)),
  };
}

/** Sorted. */
function versionsIn(dependencies: LockedDependencies = new Map()): Map<string, string> {
  const versions = new Map<string, Set<string>>();
  for (const [path, { name = path.split("/node_modules/").at(-1)!, version }] of dependencies) {
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  const sorted = [...versions.keys()].sort();
  return new Map(sorted.map((name) => [name, [...versions.get(name)!].sort().join(" and ")]));
}

/** Whether both name the same releases in the same places; which system wrote them does not matter. */
export function areSameDependencies(
  before: LockedDependencies | undefined,
  after: LockedDependencies | undefined,
): boolean {
  const [was, is] = [before ?? new Map<string, LockedDependency>(), after ?? new Map<string, LockedDependency>()];
  const isSame = ([path, { version, integrity }]: [string, LockedDependency]): boolean =>
    was.get(path)?.version === version && was.get(path)?.integrity === integrity;
  return was.size === is.size && [...is].every(isSame);
}

/** Keeps the hashes of releases for other systems, which only those could compute. */
export function withKnownHashes(
  dependencies: LockedDependencies | undefined,
  before: LockedDependencies | undefined,
): LockedDependencies | undefined {
  if (dependencies === undefined || before === undefined) return dependencies;
  const merged = [...dependencies].map(([path, dependency]): [string, LockedDependency] => {
    const known = before.get(path);
    const isSame = known?.version === dependency.version && known.integrity === dependency.integrity;
    return [path, dependency.tree === undefined && isSame ? known : dependency];
  });
  return new Map(merged);
}

/** New code that OpenCode will load, also under a version that it had before, so the user is asked about it. */
export function newDependencies(
  before: LockedDependencies | undefined,
  after: LockedDependencies | undefined,
): Capability[] {
  // Earlier versions of Hugo did not record them.
  if (before === undefined) return [];
  const added = changedDependencies(before, after).added.map((name): Capability => {
    return { kind: "dependency", subject: name, detail: "loaded" };
  });
  const replaced = [...(after ?? [])].flatMap(([path, { version, integrity }]): Capability[] => {
    const was = before.get(path);
    if (was === undefined || was.version !== version || was.integrity === integrity) return [];
    return [{ kind: "dependency", subject: path, detail: `${version} again, with different content` }];
  });
  return [...added, ...replaced];
}

const MOST = 3;

function some(names: readonly string[]): string {
  const more = names.length - MOST;
  return more > 1 ? `${names.slice(0, MOST).join(", ")} and ${more} more` : names.join(", ");
}

/** For the report, with the workflow's name, because several can share it; empty if there is nothing to say. */
export function describeDependencies(
  workflow: string,
  before: LockedDependencies | undefined,
  after: LockedDependencies | undefined,
): string[] {
  const is = versionsIn(after);
  if (before === undefined) {
    if (is.size === 0) return [];
    const named = [...is].map(([name, versions]) => `${name} ${versions}`);
    return [`${workflow} comes with ${count(is.size, "dependency", "dependencies")}: ${some(named)}.`];
  }
  const was = versionsIn(before);
  const { added, changed, removed } = changedDependencies(before, after);
  return [
    ...(added.length > 0 ? [`new dependencies: ${some(added.map((name) => `${name} ${is.get(name)}`))}`] : []),
    ...(changed.length > 0
      ? [`changed dependencies: ${some(changed.map((name) => `${name} ${was.get(name)} → ${is.get(name)}`))}`]
      : []),
    ...(removed.length > 0 ? [`removed dependencies: ${some(removed)}`] : []),
  ].map((line) => `${workflow}: ${line}.`);
}
