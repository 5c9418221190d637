// Which version of each dependency goes where. Asks the registry, downloads nothing.
import { findNameCollisions } from "@atomic/durable-files/safety/names";
import type { LockedDependencies } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../errors.ts";
import { type AgeRule, chooseVersion } from "../registry/choose-version.ts";
import type { Packument, Release } from "../registry/packument.ts";
import { lockedVersions } from "./locked-versions.ts";
import { isEnough, type WantedDependency, wantedDependencies } from "./wanted-dependencies.ts";

/** A package below `node_modules`. */
export interface PlacedDependency {
  /** `zod`, or `glob/node_modules/minimatch`. */
  readonly path: string;
  /** The package, which an alias calls otherwise. */
  readonly name: string;
  readonly version: string;
  readonly release: Release;
  /** Nothing that runs here needs it, such as a program for another system. */
  readonly isOptional: boolean;
}

/** The package that needs them. */
export interface DependentPackage {
  readonly name: string;
  readonly version: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

interface Folder {
  readonly path: string;
  readonly parent: Folder | undefined;
  readonly name: string;
  readonly version: string;
  readonly inside: Map<string, Folder>;
  readonly isOptional: boolean;
}

/** Far more than any plugin has. */
const MOST = 1500;

/**
 * As npm does, a dependency goes to the top, where all packages find it; if another version is there, it goes into the
 * folder of the package that needs it. The order is that of package.json, so the result is always the same.
 *
 * @param packumentOf Called early and often; it has to remember its answers.
 * @param installed What the lock records; nothing older is chosen unless a range requires it.
 */
export async function resolveDependencies(
  dependent: DependentPackage,
  packumentOf: (name: string) => Promise<Packument>,
  rule: AgeRule,
  installed?: LockedDependencies,
): Promise<{ readonly placed: readonly PlacedDependency[]; readonly notices: readonly string[] }> {
  const top: Folder = folderOf("", undefined, { name: "", version: "", isOptional: false });
  const own = folderOf(dependent.name, top, { ...dependent, isOptional: false });
  top.inside.set(dependent.name, own);
  const accepted = lockedVersions(installed);
  const placed: PlacedDependency[] = [];
  const notices: string[] = [];
  const waiting: { readonly from: Folder; readonly each: WantedDependency }[] = [];
  const want = (from: Folder, manifest: DependentPackage["manifest"], what: string): void => {
    for (const each of wantedDependencies(manifest, what)) {
      waiting.push({ from, each });
      // It is asked for again in its turn, and then its failure counts.
      packumentOf(each.target).catch(() => undefined);
    }
  };
  want(own, dependent.manifest, dependent.name);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { from, each } = next;
    const { name, target, wanted } = each;
    const there = nearest(from, name);
    if (there !== undefined && there.name === target && isEnough(there.version, wanted)) continue;
    const isOptional = each.isOptional || from.isOptional;
    let chosen: ReturnType<typeof chooseVersion>;
    const packument = await packumentOf(target).catch((error: unknown) => {
      if (!(error instanceof HugoError) || error.code !== "package-not-found") throw error;
      if (isOptional) return undefined;
      throw withDependent(error, from === own ? from.name : `${from.name} ${from.version}`, each);
    });
    if (packument === undefined) continue;
    try {
      chosen = chooseVersion(packument, wanted, rule, accepted.get(target));
    } catch (error) {
      if (!isOptional || !(error instanceof HugoError)) throw error;
      // One that does not exist is usually for a system that its author no longer supports.
      if (error.code === "release-too-new")
        notices.push(`Without the optional dependency ${target}: ${error.message}.`);
      continue;
    }
    const { version } = chosen;
    if (there !== undefined && there.name === target && there.version === version) continue;
    notices.push(...chosen.notices);
    const release = packument.release(version);
    if (release === undefined) throw withoutDownload(`${target} ${version}`);
    const parent = there === undefined ? top : from;
    // Two peers of one package cannot have two versions in one folder; the first one stays.
    if (parent.inside.has(name)) continue;
    const path = parent === top ? name : `${parent.path}/node_modules/${name}`;
    const folder = folderOf(path, parent, { name: target, version, isOptional });
    parent.inside.set(name, folder);
    placed.push({ path, name: target, version, release, isOptional });
    if (placed.length > MOST) {
      throw new HugoError("package-unsafe", {
        message: `${dependent.name} needs more than ${MOST} packages, so Hugo stopped`,
        hint: "Nothing was installed. A plugin can bundle what it needs into one file; ask its author to do that.",
      });
    }
    want(folder, release.manifest, `${target} ${version}`);
  }
  const [twins] = findNameCollisions([dependent.name, ...placed.map(({ path }) => path)].map((path) => `${path}/.`));
  if (twins !== undefined) {
    // Code that imports one of them would get the other.
    throw new HugoError("package-unsafe", {
      message: `${dependent.name} needs ${twins.toSorted().join(" and ")}, which are the same folder on many file systems`,
      hint: "Nothing was installed. Only its author can change what it needs.",
    });
  }
  return { placed, notices };
}

/** The user has not written the name of the package that is missing, so checking its spelling does not help. */
function withDependent(error: HugoError, dependent: string, { name, target }: WantedDependency): HugoError {
  const what = name === target ? target : `${target} (as ${name})`;
  return new HugoError(error.code, {
    message: `${dependent} needs ${what}, which the registry ${error.at} does not have`,
    at: error.at,
    hint: `The author of ${dependent} has to publish ${target} or correct package.json. If ${target} is private, log in with \`npm login\`.`,
    cause: error,
  });
}

export function withoutDownload(what: string): HugoError {
  return new HugoError("network-failed", {
    message: `The registry does not say where ${what} can be downloaded`,
    hint: "If this keeps happening, the registry in your npm settings may not be an npm registry.",
  });
}

function folderOf(
  path: string,
  parent: Folder | undefined,
  { name, version, isOptional }: Pick<Folder, "name" | "version" | "isOptional">,
): Folder {
  return { path, parent, name, version, isOptional, inside: new Map() };
}

/** What `import "name"` finds from a package: in its own folder, else in those around it. */
function nearest(from: Folder, name: string): Folder | undefined {
  for (let folder: Folder | undefined = from; folder !== undefined; folder = folder.parent) {
    const found = folder.inside.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
