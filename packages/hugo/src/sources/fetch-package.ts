import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { PLAIN_VERSION } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../errors.ts";
import { type PackageFacts, readPackageFacts } from "../packages/manifest/package-json.ts";
import { workflowNameOf } from "../packages/workflow-name.ts";
import type { Fetched, FetchOptions, Obtained, ObtainOptions } from "./fetched.ts";
import { copyFolder, placeOnDisk } from "./folder/copy-folder.ts";
import { SIZE_LIMITS, type SizeLimits } from "./limits.ts";
import type { PackageSource } from "./package-source.ts";
import { PackageWriter } from "./package-writer.ts";

/**
 * Fetches a package into a folder. None of it runs: Hugo reads tarballs, folders and git objects
 * itself, so the bytes are the same with any package manager or none.
 */
export async function fetchPackage(
  source: PackageSource,
  options: FetchOptions,
  limits: SizeLimits = SIZE_LIMITS,
): Promise<Fetched> {
  const { into, exactly } = options;
  options.context.signal?.throwIfAborted();
  const packageFolder = join(into, "package");
  const obtaining: ObtainOptions = { ...options, folder: packageFolder, limits };
  const obtained = await obtain(source, obtaining);

  // What the package calls itself.
  const files = ["package.json", ".claude-plugin/plugin.json"].filter((path) => existsSync(join(packageFolder, path)));
  const facts = readPackageFacts(
    new Map(files.map((path) => [path, { bytes: readFileSync(join(packageFolder, path)), executable: false }])),
  );
  const packageName = packageNameOf(source, facts);
  // The author's text goes into the lock, so it must be valid there.
  const local = facts.version !== undefined && PLAIN_VERSION.test(facts.version) ? facts.version : "0.0.0";
  const version = obtained.version ?? local;
  if (source.kind === "file" && exactly !== undefined && exactly.version !== version) {
    throw new HugoError("version-not-found", {
      message: `${source.path} has version ${version}, but the lock has ${exactly.version}`,
      hint: "Run `hugo update` to accept the current version.",
    });
  }

  const root = join(into, "root");
  mkdirSync(root);
  // Its dependencies can go next to it.
  const folder = join(root, "node_modules", packageName);
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(packageFolder, folder);
  for (const name of readdirSync(into)) if (name !== "root") rmSync(join(into, name), { recursive: true, force: true });
  const { integrity, notices } = obtained;
  return { packageName, version, ...(integrity === undefined ? {} : { integrity }), folder, root, notices };
}

/** Copying a folder does not load the code for the other sources, which is most of it. */
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
      const writer = new PackageWriter(options.folder, path, options.limits, { isRepository: form === "folder" });
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

/** The package's own name, else that of its repository, folder or tarball. It becomes a folder name. */
function packageNameOf(source: PackageSource, { name }: PackageFacts): string {
  if (source.kind === "registry") return source.name;
  // An address was checked to be well escaped.
  const place = source.kind === "git" ? decodeURIComponent(source.folder ?? source.url) : source.path;
  const nameOfPlace = basename(place)
    .replace(/\.(?:git|tgz|tar\.gz|tar)$/i, "")
    // Letters lose their accents.
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  const own = name ?? nameOfPlace;
  if (own === "") {
    throw new HugoError("name-invalid", {
      message: `The package has no name, and ${shown(basename(place))} has no letters (a-z) or digits to make one from`,
      hint: 'Rename it, or add a package.json with a "name".',
    });
  }
  // The name without the scope is checked as that of a workflow, with a better message.
  workflowNameOf(own);
  if (NAME.test(own) && own.length <= 214) return own;
  throw new HugoError("name-invalid", {
    message: `The package is called ${shown(own)}, which is not a valid package name`,
    hint: "Only the package's author can rename it.",
  });
}
