// Fetches what a plugin's code needs, next to the plugin. None of it runs.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LockedDependencies, LockedDependency } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import { hashTree } from "../../packages/tree.ts";
import {
  DEPENDENCY_LIMITS,
  limitsOfDependencies,
  minimumReleaseAge,
  SIZE_LIMITS,
  SizeCounter,
  type SizeLimits,
} from "../limits.ts";
import { registrySettings } from "../registry/approved-settings.ts";
import { type AgeRule, ALLOW_NEW, NO_MINIMUM_AGE } from "../registry/choose-version.ts";
import { downloadRelease, manifestIn } from "../registry/download-release.ts";
import { objectOrEmpty, type Packument, readPackument } from "../registry/packument.ts";
import type { RegistrySettings } from "../registry/settings.ts";
import { contradicts, isPromised } from "../tarball/unpack.ts";
import { lockedName } from "./locked-versions.ts";
import {
  type DependentPackage,
  type PlacedDependency,
  resolveDependencies,
  withoutDownload,
} from "./resolve-dependencies.ts";
import { isForThisSystem, systemsIn } from "./this-system.ts";
import { wantedDependencies } from "./wanted-dependencies.ts";

interface DependentOnDisk {
  readonly packageName: string;
  readonly version: string;
  /** The package's folder, `<root>/node_modules/<packageName>`; its dependencies go next to it. */
  readonly folder: string;
  readonly root: string;
}

interface DependencyOptions {
  readonly context: Context;
  readonly allowNew?: boolean | undefined;
  /** An empty folder on the same disk as the package. */
  readonly into: string;
  /** Exactly these, as the lock records them. */
  readonly locked?: LockedDependencies | undefined;
  /** What is there now, if newer ones may be chosen. */
  readonly installed?: LockedDependencies | undefined;
}

export interface FetchedDependencies {
  /** Undefined if the package needs nothing. */
  readonly dependencies?: LockedDependencies;
  readonly notices: readonly string[];
}

/** Enough to be quick, and few enough not to look like an attack. */
const AT_ONCE = 8;

/** What package managers run after unpacking a package. Hugo does not, so it may lack something. */
const SCRIPTS = ["preinstall", "install", "postinstall"] as const;

export async function fetchDependencies(
  dependent: DependentOnDisk,
  options: DependencyOptions,
  limits: SizeLimits = SIZE_LIMITS,
): Promise<FetchedDependencies> {
  const { packageName, version, folder } = dependent;
  const manifest = manifestIn(folder);
  if (wantedDependencies(manifest, packageName).length === 0) return { notices: [] };
  const { context, allowNew, locked, installed } = options;
  const settings = await registrySettings(context);
  const packumentOf = rememberedPackuments(settings, context);
  context.user.progress(`Looking for the dependencies of ${packageName}`);
  const minimumAge = allowNew === true ? 0 : minimumReleaseAge(context.env);
  const rule = { now: Date.now(), minimumAge, remedy: allowNew === undefined ? NO_MINIMUM_AGE : ALLOW_NEW };
  const { placed, notices } =
    locked === undefined
      ? await resolveDependencies({ name: packageName, version, manifest }, packumentOf, rule, installed)
      : { placed: await placedAsLocked(locked, packumentOf), notices: [] };
  const found = await downloadAll(dependent, placed, { ...options, settings, limits: limitsOfDependencies(limits) });
  return { dependencies: found.dependencies, notices: [...notices, ...found.notices] };
}

/** The releases that would be fetched for a package now. Downloads nothing. */
export async function newestDependencies(
  dependent: DependentPackage,
  context: Context,
  installed: LockedDependencies,
  rule: AgeRule,
): Promise<LockedDependencies> {
  if (wantedDependencies(dependent.manifest, dependent.name).length === 0) return new Map();
  const packumentOf = rememberedPackuments(await registrySettings(context), context);
  const { placed } = await resolveDependencies(dependent, packumentOf, rule, installed);
  const known = [...installed].map(([path, dependency]) => ({ ...dependency, name: lockedName(path, dependency) }));
  return new Map(
    placed.map(({ path, name, version, release: { integrity: stated } }) => {
      const same = known.find(
        (each) => each.name === name && each.version === version && !contradicts(stated, each.integrity),
      );
      return [path, { name, version, integrity: same?.integrity ?? stated ?? "" }];
    }),
  );
}

/** Each package is asked for once, a few at a time. */
function rememberedPackuments(settings: RegistrySettings, context: Context): (name: string) => Promise<Packument> {
  const known = new Map<string, Promise<Packument>>();
  const slots = new Slots(AT_ONCE);
  return (name) => {
    const asked = known.get(name) ?? slots.use(() => readPackument(name, settings, context));
    known.set(name, asked);
    return asked;
  };
}

/** What the lock names; for other systems, nothing is asked. */
async function placedAsLocked(
  locked: LockedDependencies,
  packumentOf: (name: string) => Promise<Packument>,
): Promise<PlacedDependency[]> {
  const here = [...locked].filter(([, dependency]) => isForThisSystem(dependency));
  return await Promise.all(
    here.map(async ([path, dependency]) => {
      const { version } = dependency;
      const name = lockedName(path, dependency);
      const release = (await packumentOf(name)).release(version);
      if (release === undefined) throw withoutDownload(`${name} ${version}`);
      return { path, name, version, release, isOptional: false };
    }),
  );
}

/** The dependencies that a package brings along in its own node_modules; Hugo leaves them out, as nothing vouches for them. */
function bundledIn(manifest: DependentPackage["manifest"]): string[] {
  const list = manifest.bundleDependencies ?? manifest.bundledDependencies;
  const needed = Object.keys({
    ...objectOrEmpty(manifest.dependencies),
    ...objectOrEmpty(manifest.optionalDependencies),
  }).sort();
  return list === true ? needed : needed.filter((name) => Array.isArray(list) && list.includes(name));
}

interface DownloadOptions extends DependencyOptions {
  readonly settings: RegistrySettings;
  readonly limits: SizeLimits;
}

async function downloadAll(
  { packageName, folder: own, root }: DependentOnDisk,
  placed: readonly PlacedDependency[],
  { context: outer, into, locked, installed, settings, limits }: DownloadOptions,
): Promise<Required<FetchedDependencies>> {
  // The first failure ends the other downloads.
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(outer.signal === undefined ? [] : [outer.signal])]);
  const context = { ...outer, signal };
  const counter = new SizeCounter(`The dependency tree of ${packageName}`, limits);
  const slots = new Slots(AT_ONCE);
  const scripted: string[] = [];
  const bundling = new Map([[packageName, bundledIn(manifestIn(own))]]);
  const ends = await Promise.allSettled(
    placed.map(({ path, name, version, release, isOptional }, i) =>
      slots
        .use(async (): Promise<[string, LockedDependency]> => {
          signal.throwIfAborted();
          const what = `${name} ${version}`;
          const systems = systemsIn(release.manifest);
          const alias = path.split("/node_modules/").at(-1) === name ? {} : { name };
          const expected = locked?.get(path);
          if (!isForThisSystem(systems)) {
            if (isOptional && /^sha512-/.test(release.integrity ?? ""))
              return [path, { ...alias, version, integrity: release.integrity!, ...systems }];
            throw new HugoError("package-unsafe", {
              message: `${packageName} needs ${what}, which is not for this system`,
              hint: "Nothing was installed. Only its author can make it work here.",
            });
          }
          const folder = join(into, String(i));
          const { unpacked, integrity, manifest } = await downloadRelease({
            ...{ name, version, release, folder, limits, settings, context },
            locked: expected?.integrity,
          });
          const tree = readPackageTree(folder, DEPENDENCY_LIMITS);
          counter.add(
            [...tree.values()].reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
            tree.size,
          );
          const hash = hashTree(tree);
          const isSame =
            expected === undefined ||
            (isPromised(unpacked, expected.integrity) && (expected.tree === undefined || expected.tree === hash));
          if (!isSame) {
            throw new HugoError("integrity-mismatch", {
              message: `${what}, a dependency of ${packageName}, does not match the lock`,
              hint: "Nothing was installed. The release was replaced: find out who replaced it and why before you trust it.",
            });
          }
          const scripts = objectOrEmpty(manifest.scripts);
          // Of what is already installed, the user knows.
          const isNew = installed?.get(path)?.version !== version;
          if (isNew && SCRIPTS.some((script) => typeof scripts[script] === "string")) scripted.push(name);
          const bundled = bundledIn(manifest);
          if (isNew) bundling.set(name, bundled);
          return [path, { ...alias, version, integrity, tree: hash, ...systems }];
        })
        .catch((error: unknown) => {
          failed.abort(error);
          throw error;
        }),
    ),
  );
  signal.throwIfAborted();
  const downloaded = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
  // Folders around others first.
  for (const [path, i] of placed.map(({ path }, i) => [path, i] as const).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [from, to] = [join(into, String(i)), join(root, "node_modules", path)];
    if (!existsSync(from)) continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  const names = [...new Set(scripted)].sort().join(", ");
  const bundles = [...bundling]
    .filter(([, list]) => list.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, list]) => `${name} (${list.join(", ")})`);
  return {
    dependencies: locked ?? new Map(downloaded),
    notices: [
      ...(names === ""
        ? []
        : [`Hugo does not run the install scripts of dependencies, so these may lack something: ${names}.`]),
      ...(bundles.length === 0
        ? []
        : [`Hugo takes the registry's releases instead of bundled copies: ${bundles.join(", ")}.`]),
    ],
  };
}

/** Lets only so many at once. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(amount: number) {
    this.#free = amount;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
