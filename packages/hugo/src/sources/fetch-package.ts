import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { isPlainVersion } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../errors.ts";
import { type PackageFacts, readPackageFacts } from "../packages/manifest/package-json.ts";
import { workflowNameOf } from "../packages/workflow-name.ts";
import type { Fetched, FetchOptions, Obtained, ObtainOptions } from "./fetched.ts";
import { copyFolder, placeOnDisk } from "./folder/copy-folder.ts";
import { SIZE_LIMITS, type SizeLimits } from "./limits.ts";
import type { PackageSource } from "./package-source.ts";
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
  const { into, exactly } = options;
  options.context.signal?.throwIfAborted();
  const arriving = join(into, "package");
  const obtaining: ObtainOptions = { ...options, folder: arriving, limits };
  const obtained = await obtain(source, obtaining);

  // What the package says that it is.
  const files = ["package.json", ".claude-plugin/plugin.json"].filter((path) => existsSync(join(arriving, path)));
  const facts = readPackageFacts(
    new Map(files.map((path) => [path, { bytes: readFileSync(join(arriving, path)), executable: false }])),
  );
  const packageName = packageNameOf(source, facts);
  // What its author wrote is put into the lock, so it must be something that the lock may hold.
  const local = facts.version !== undefined && isPlainVersion(facts.version) ? facts.version : "0.0.0";
  const version = obtained.version ?? local;
  // A registry that gives another package than the one asked for is refused: that is how one poses as another.
  if (source.kind === "registry" && (facts.name !== packageName || facts.version !== version)) {
    const own = `${shown(facts.name ?? "nothing")} ${facts.version ?? "without a version"}`;
    throw new HugoError("package-unsafe", {
      message: `${packageName} ${version} of the registry is ${own} by its own package.json`,
      hint: "Nothing was installed: the registry and package.json disagree.",
    });
  }
  if (source.kind === "file" && exactly !== undefined && exactly.version !== version) {
    throw new HugoError("version-not-found", {
      message: `${source.path} has the version ${version}, but the lock holds ${exactly.version}`,
      hint: "Run `hugo update` to accept the current version.",
    });
  }

  const root = join(into, "root");
  mkdirSync(root);
  // OpenCode installs plugins of the registry itself, with all that they need.
  const isLoadedHere = source.kind !== "registry" && options.dependencies !== false;
  // Of packages without `workflow.json` no code is loaded, so nothing has to lie beside them.
  const hasCode = ["workflow.json", "package.json"].every((name) => existsSync(join(arriving, name)));
  if (isLoadedHere && hasCode) {
    const { installDependencies } = await import("./dependencies/install-dependencies.ts");
    await installDependencies(packageName, root, obtaining);
  }
  // The package goes next to what it depends on, and all that was only needed on the way is cleared away.
  const folder = join(root, "node_modules", packageName);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(arriving, folder);
  for (const name of readdirSync(into)) if (name !== "root") rmSync(join(into, name), { recursive: true, force: true });
  const { integrity, notices } = obtained;
  return { packageName, version, ...(integrity === undefined ? {} : { integrity }), folder, root, notices };
}

/** A folder is copied without what the other sources need: that is most of the code. */
async function obtain(source: PackageSource, options: ObtainOptions): Promise<Obtained> {
  switch (source.kind) {
    case "registry": {
      const { fromRegistry } = await import("./registry/from-registry.ts");
      return await fromRegistry(source, options);
    }
    case "git": {
      const { fromGit } = await import("./git/from-git.ts");
      return await fromGit(source, options);
    }
    case "file": {
      const { form, path } = source;
      const place = placeOnDisk(path, options.context.cwd, form);
      const writer = new PackageWriter(options.folder, path, options.limits);
      if (form === "folder") {
        copyFolder(place, writer, options.into);
      } else {
        const { unpack } = await import("./tarball/unpack.ts");
        await unpack(createReadStream(place), writer, path);
      }
      return { notices: writer.finish() };
    }
  }
}

const NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;

/** What it is called: as it says itself, else as its repository, folder or tarball. It becomes the name of a folder. */
function packageNameOf(source: PackageSource, { name }: PackageFacts): string {
  if (source.kind === "registry") return source.name;
  const place = source.kind === "git" ? source.url : source.path;
  const nameOfPlace = basename(place)
    .replace(/\.(?:git|tgz|tar\.gz|tar)$/i, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  const own = name ?? nameOfPlace;
  // The name without the scope is checked as that of a workflow, with a better message.
  workflowNameOf(own);
  if (NAME.test(own) && own.length <= 214) return own;
  throw new HugoError("name-invalid", {
    message: `The package is called ${shown(own)}, which is not a valid package name`,
    hint: "Only the package's author can rename it.",
  });
}
