// What an install or an update does to the packages that a plugin's code needs.

import { count } from "@atomic/terminal/count";
import type { LockedDependencies, LockedDependency } from "@atomic/workflows/internal/hugo-lock/lock";
import { type Capability, REPLACED } from "../packages/capability.ts";
import { lockedName, lockedVersions } from "../sources/dependencies/locked-versions.ts";
import { compareVersions } from "../sources/registry/version.ts";

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
  const was = lockedVersions(before);
  const added = [...lockedVersions(after).keys()].filter((name) => !was.has(name));
  return [
    ...added.map((name): Capability => ({ kind: "dependency", subject: name, detail: "loaded" })),
    ...replacedDependencies(before, after).map(
      (release): Capability => ({ kind: "dependency", subject: release, detail: REPLACED }),
    ),
  ];
}

/** Releases that had other bytes, such as `zod 3.0.0`; where they are on the disk does not matter. */
export function replacedDependencies(
  before: LockedDependencies = new Map(),
  after: LockedDependencies = new Map(),
): string[] {
  const releaseAt = (path: string, dependency: LockedDependency): string =>
    `${lockedName(path, dependency)} ${dependency.version}`;
  const known = new Map<string, Set<string>>();
  for (const [path, dependency] of before) {
    const release = releaseAt(path, dependency);
    known.set(release, (known.get(release) ?? new Set()).add(dependency.integrity));
  }
  const replaced = [...after].flatMap(([path, dependency]) => {
    const release = releaseAt(path, dependency);
    const integrities = known.get(release);
    return integrities === undefined || integrities.has(dependency.integrity) ? [] : [release];
  });
  return [...new Set(replaced)].sort();
}

/** Why `--yes` does not cover it; undefined if nothing was replaced. */
export function aboutReplaced(releases: readonly string[]): string | undefined {
  if (releases.length === 0) return undefined;
  const has = releases.length === 1 ? "has" : "have";
  return `${some(releases)}, which it depends on, ${has} different content than when it was installed`;
}

const MOST = 3;

/** Each release with its place and checksum: what a report stands for. */
export function releasesIn(dependencies: LockedDependencies = new Map()): string[] {
  return [...dependencies].map(([path, { version, integrity }]) => `${path} ${version} ${integrity}`).sort();
}

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
  return dependencyNotes(workflow, before, after).map(({ summary }) => summary);
}

/** The same with all names as the details. */
export function dependencyNotes(
  workflow: string,
  before: LockedDependencies | undefined,
  after: LockedDependencies | undefined,
): { readonly summary: string; readonly all: readonly string[] }[] {
  const note = (start: string, releases: readonly string[]) => ({
    summary: `${start}: ${some(releases)}.`,
    all: [`${start}: ${releases.join(", ")}.`],
  });
  const is = lockedVersions(after);
  const labelled = (versions: readonly string[] = []): string => versions.join(" and ");
  if (before === undefined) {
    if (is.size === 0) return [];
    const named = [...is].map(([name, versions]) => `${name} ${labelled(versions)}`);
    return [note(`${workflow} comes with ${count(is.size, "dependency", "dependencies")}`, named)];
  }
  const was = lockedVersions(before);
  const names = [...is.keys()];
  const changed = names.filter((name) => was.has(name) && labelled(was.get(name)) !== labelled(is.get(name)));
  // One of two versions may only be gone with the package that needed it.
  const isOlder = (name: string): boolean => {
    const [before, after] = [was.get(name)!, is.get(name)!];
    return !after.every((each) => before.includes(each)) && compareVersions(after.at(-1)!, before.at(-1)!) < 0;
  };
  const steps = (list: readonly string[]): string[] =>
    list.map((name) => `${name} ${labelled(was.get(name))} → ${labelled(is.get(name))}`);
  const lines: readonly (readonly [what: string, releases: readonly string[]])[] = [
    ["new dependencies", names.filter((name) => !was.has(name)).map((name) => `${name} ${labelled(is.get(name))}`)],
    ["changed dependencies", steps(changed.filter((name) => !isOlder(name)))],
    ["older dependencies, because newer ones are gone or out of range", steps(changed.filter(isOlder))],
    [REPLACED, replacedDependencies(before, after)],
    ["removed dependencies", [...was.keys()].filter((name) => !is.has(name))],
  ];
  return lines.flatMap(([what, releases]) => (releases.length === 0 ? [] : [note(`${workflow}: ${what}`, releases)]));
}
