import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPlainVersion } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../errors.ts";
import type { Fetched, FetchOptions } from "./fetched.ts";
import { copyFolder, placeOnDisk } from "./folder/copy-folder.ts";
import { factsIn, packageNameOf, refuseImpostor } from "./identity.ts";
import { SIZE_LIMITS, type SizeLimits } from "./limits.ts";
import type { Obtained, Step } from "./obtained.ts";
import type { FileSource, PackageSource } from "./package-source.ts";
import { PackageWriter } from "./package-writer.ts";

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
  const version = obtained.version ?? localVersion(facts.version);
  if (source.kind === "registry") refuseImpostor({ name: packageName, version }, facts);
  if (source.kind === "file") refuseOtherVersion(source, version, options);

  const root = join(options.into, "root");
  mkdirSync(root);
  // OpenCode installs plugins of the registry itself, with all that they need.
  const isLoadedHere = source.kind !== "registry" && options.dependencies !== false;
  if (isLoadedHere && hasCode(step.folder)) {
    const { installDependencies } = await import("./dependencies/install-dependencies.ts");
    await installDependencies(packageName, root, step);
  }
  const folder = join(root, "node_modules", packageName);
  settle(step, folder);
  const { integrity, notices } = obtained;
  return { packageName, version, ...(integrity === undefined ? {} : { integrity }), folder, root, notices };
}

/** A folder is copied without what the other sources need: that is most of the code. */
async function obtain(source: PackageSource, step: Step): Promise<Obtained> {
  switch (source.kind) {
    case "registry": {
      const { fromRegistry } = await import("./registry/from-registry.ts");
      return await fromRegistry(source, step);
    }
    case "git": {
      const { fromGit } = await import("./git/from-git.ts");
      return await fromGit(source, step);
    }
    case "file":
      return await fromDisk(source, step);
  }
}

async function fromDisk({ form, path }: FileSource, { context, into, folder, limits }: Step): Promise<Obtained> {
  const place = placeOnDisk(path, context.cwd, form);
  const writer = new PackageWriter(folder, path, limits);
  if (form === "folder") {
    copyFolder(place, writer, into);
  } else {
    const { unpack } = await import("./tarball/unpack.ts");
    await unpack(createReadStream(place), writer, path);
  }
  return { notices: writer.finish() };
}

/** What its author wrote is put into the lock, so it must be something that the lock may hold. */
function localVersion(version = "0.0.0"): string {
  return isPlainVersion(version) ? version : "0.0.0";
}

/** Of packages without `workflow.json` no code is loaded, so nothing has to lie beside them. */
function hasCode(folder: string): boolean {
  return ["workflow.json", "package.json"].every((name) => existsSync(join(folder, name)));
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
