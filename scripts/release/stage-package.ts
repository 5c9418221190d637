// Writes a package the way strangers get it: without what only the repository needs, with metadata and links that work anywhere.
import { existsSync, statSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { npm } from "./commands.ts";
import type { Manifest, PublicPackage } from "./packages.ts";
import { absoluteLinks } from "./readme-links.ts";
import type { RepositoryAddress } from "./repository.ts";

export interface Staging {
  readonly root: string;
  readonly repository: RepositoryAddress;
  /** The version of every package of the release. */
  readonly version: string;
  /** Names of all packages of the release. */
  readonly names: readonly string[];
}

/** Returns the README's dead links. */
export async function stagePackage(pkg: PublicPackage, target: string, staging: Staging): Promise<readonly string[]> {
  const { root, repository, version } = staging;
  const built = join(root, pkg.built);
  await rm(target, { recursive: true, force: true });
  for (const file of await packedFiles(built)) {
    if (file.endsWith(".map")) continue;
    await mkdir(dirname(join(target, file)), { recursive: true });
    await copyFile(join(built, file), join(target, file));
    if (file.endsWith(".js")) await withoutMapComment(join(target, file));
  }
  const common = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const manifest = publicManifest(pkg, staging, common);
  await writeFile(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const readme = absoluteLinks(await readFile(join(built, "README.md"), "utf8"), {
    repository: repository.url,
    ref: `v${version}`,
    folder: pkg.source,
    kindOf: (path) =>
      existsSync(join(root, path)) ? (statSync(join(root, path)).isFile() ? "file" : "folder") : undefined,
  });
  await writeFile(join(target, "README.md"), readme.text);
  return readme.dead;
}

/** What npm would pack there: it knows `files` and what always belongs to a package. */
async function packedFiles(folder: string): Promise<string[]> {
  const [{ files }] = JSON.parse(await npm(["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: folder }));
  return files.map(({ path }: { path: string }) => path);
}

async function withoutMapComment(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const plain = text.replace(/^\/\/# sourceMappingURL=.*\n?/m, "");
  if (plain !== text) await writeFile(file, plain);
}

/** What all packages have in common comes from the root package.json. */
function publicManifest(
  { source, manifest }: PublicPackage,
  { repository, version, names }: Staging,
  common: { readonly author?: string; readonly os?: readonly string[] },
): Manifest {
  const { scripts: _scripts, devDependencies: _development, ...own } = manifest;
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    names.includes(name) ? version : range,
  ]);
  return {
    ...own,
    version,
    author: common.author,
    os: common.os,
    homepage: `${repository.url}/tree/v${version}/${source}#readme`,
    repository: { type: "git", url: `git+${repository.url}.git`, directory: source },
    bugs: { url: `${repository.url}/issues` },
    ...(dependencies.length > 0 && { dependencies: Object.fromEntries(dependencies) }),
    publishConfig: { access: "public", provenance: true },
  };
}
