import { createReadStream, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { HugoError } from "../errors.ts";
import type { FileSource, GitSource, PackageSource, RegistrySource } from "../source/package-source.ts";
import { printPackageSpec } from "../source/spec.ts";
import { installDependencies } from "./dependencies/install-dependencies.ts";
import type { Fetched, FetchOptions } from "./fetched.ts";
import { copyFolder, placeOnDisk } from "./folder/copy-folder.ts";
import { exportCommit } from "./git/export-commit.ts";
import { fetchCommit, refuseOtherCommit } from "./git/fetch-commit.ts";
import { resolveRef } from "./git/resolve-ref.ts";
import { factsIn, packageNameOf, refuseImpostor } from "./identity.ts";
import { SIZE_LIMITS, type SizeLimits } from "./limits.ts";
import { PackageWriter } from "./package-writer.ts";
import { downloadRelease } from "./registry/download-release.ts";
import { unpack } from "./tarball/unpack.ts";
import { watchingSize } from "./watch-size.ts";

/** What stands in `<into>/package` after the first step. */
interface Obtained {
  readonly version?: string;
  readonly integrity?: string;
  readonly notices: readonly string[];
}

interface Step extends FetchOptions {
  /** Where the package's own files go. */
  readonly folder: string;
  readonly limits: SizeLimits;
}

/**
 * Brings a package and what it depends on into a folder. Nothing of it runs: Hugo reads tarballs, folders and git objects
 * itself, so the same bytes arrive with any package manager or none.
 */
export async function fetchPackage(
  source: PackageSource,
  options: FetchOptions,
  limits: SizeLimits = SIZE_LIMITS,
): Promise<Fetched> {
  options.context.signal?.throwIfAborted();
  const step: Step = { ...options, folder: join(options.into, "package"), limits };
  const obtained = await obtain(source, step);
  const facts = factsIn(step.folder);
  const packageName = packageNameOf(source, facts);
  const version = obtained.version ?? facts.version ?? "0.0.0";
  if (source.kind === "registry") refuseImpostor({ name: packageName, version }, facts);
  if (source.kind === "file") refuseOtherVersion(source, version, options);

  const root = join(options.into, "root");
  mkdirSync(root);
  // OpenCode installs plugins of the registry itself, with all that they need.
  const isLoadedHere = source.kind !== "registry" && options.dependencies !== false;
  if (isLoadedHere) await installDependencies(packageName, root, step);
  const folder = join(root, "node_modules", packageName);
  settle(step, folder);
  const { integrity, notices } = obtained;
  return { packageName, version, ...(integrity === undefined ? {} : { integrity }), folder, root, notices };
}

async function obtain(source: PackageSource, step: Step): Promise<Obtained> {
  switch (source.kind) {
    case "registry":
      return await fromRegistry(source, step);
    case "git":
      return await fromGit(source, step);
    case "file":
      return await fromDisk(source, step);
  }
}

async function fromRegistry(source: RegistrySource, { folder, limits, ...options }: Step): Promise<Obtained> {
  return await downloadRelease(
    source,
    options,
    (what) => {
      rmSync(folder, { recursive: true, force: true });
      return new PackageWriter(folder, what, limits);
    },
    limits,
  );
}

async function fromGit(source: GitSource, { context, into, folder, limits, exactly }: Step): Promise<Obtained> {
  const name = printPackageSpec(source);
  context.person.progress(`Fetching ${name}`);
  const resolved = await resolveRef(source, context, exactly?.version);
  const repository = join(into, "repository");
  const writer = new PackageWriter(folder, name, limits);
  const commit = await watchingSize(repository, name, limits, async (guard) => {
    const fetched = await fetchCommit(resolved, { context, repository, guard });
    if (exactly !== undefined) refuseOtherCommit(source.url, exactly.version, fetched.commit);
    await exportCommit(fetched, writer, { context, guard });
    return fetched.commit;
  });
  return { version: commit, notices: writer.finish() };
}

async function fromDisk({ form, path }: FileSource, { context, into, folder, limits }: Step): Promise<Obtained> {
  const place = placeOnDisk(path, context.cwd, form);
  const writer = new PackageWriter(folder, path, limits);
  if (form === "folder") copyFolder(place, writer, into);
  else await unpack(createReadStream(place), writer, path);
  return { notices: writer.finish() };
}

function refuseOtherVersion({ path }: FileSource, version: string, { exactly }: FetchOptions): void {
  if (exactly === undefined || exactly.version === version) return;
  throw new HugoError("version-not-found", {
    message: `${path} has the version ${version}, but the lock holds ${exactly.version}`,
    hint: "Run `hugo update` to take what is there now.",
  });
}

/** Moves the package next to what it depends on, and clears away all that was only needed on the way. */
function settle({ into, folder }: Step, target: string): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  renameSync(folder, target);
  for (const name of readdirSync(into)) if (name !== "root") rmSync(join(into, name), { recursive: true, force: true });
}
