// The packages that are published, in publishing order: each one after those it depends on.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly imports?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface PublicPackage {
  readonly name: string;
  /** In the repository: `packages/hugo`. */
  readonly source: string;
  /** What is packed: `source`, or what the build writes in its place. */
  readonly built: string;
  readonly manifest: Manifest;
}

export function publicPackages(root: string): PublicPackage[] {
  const found = readdirSync(join(root, "packages")).flatMap((folder): PublicPackage[] => {
    const source = join("packages", folder);
    if (!existsSync(join(root, source, "package.json"))) return [];
    if (readManifest(join(root, source)).private === true) return [];
    const written = join(".build", source);
    const built = existsSync(join(root, written)) ? written : source;
    const manifest = readManifest(join(root, built));
    return [{ name: manifest.name, source, built, manifest }];
  });
  return inOrder(found);
}

/** Dependencies first. Packages that do not depend on each other keep their order. */
export function inOrder(packages: readonly PublicPackage[]): PublicPackage[] {
  const ordered = new Set<PublicPackage>();
  const add = (pkg: PublicPackage, before: readonly string[]): void => {
    if (before.includes(pkg.name)) throw new Error(`${[...before, pkg.name].join(" → ")}: no order to publish these.`);
    for (const name of Object.keys(pkg.manifest.dependencies ?? {})) {
      const needed = packages.find((each) => each.name === name);
      if (needed !== undefined) add(needed, [...before, pkg.name]);
    }
    ordered.add(pkg);
  };
  for (const pkg of packages) add(pkg, []);
  return [...ordered];
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
