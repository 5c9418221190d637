import { relative, resolve, sep } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import type { PluginTarget } from "../opencode/find-plugin.ts";
import type { FileSource, PackageSource } from "../sources/package-source.ts";
import { parsePackageSpec, printPackageSpec } from "../sources/spec.ts";
import type { Place } from "./place.ts";

/** A package that somebody wants, and how hugo.json writes that down. */
export interface Request {
  /** With an absolute path, if it lies on this machine. */
  readonly source: PackageSource;
  /** The same in every clone: a path is relative to the place's root. */
  readonly recorded: string;
}

export function requestOf(spec: string, { cwd }: Pick<Context, "cwd">, { root }: Place): Request {
  const source = parsePackageSpec(spec);
  if (source.kind !== "file") return { source, recorded: printPackageSpec(source) };
  const path = resolve(cwd, source.path);
  return { source: at(source, path), recorded: recordedPath(source.path, path, root) };
}

/** What the lock holds, again as a request. */
export function lockedRequest({ source: recorded }: Pick<LockedWorkflow, "source">, { root }: Place): Request {
  const source = parsePackageSpec(recorded);
  return { source: source.kind === "file" ? at(source, resolve(root, source.path)) : source, recorded };
}

function at(source: FileSource, path: string): FileSource {
  return { ...source, path: slashed(path) };
}

/** A path that its user wrote out stays as it is, unless it leads into the project. */
function recordedPath(written: string, path: string, root: string): string {
  const way = slashed(relative(root, path));
  if (way === "") return ".";
  if (way !== ".." && !way.startsWith("../")) return `./${way}`;
  return written.startsWith("/") ? written : way;
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** How entries for the package are recognised in plugin arrays. */
export function targetOf({ source }: Request, packageName: string): PluginTarget {
  switch (source.kind) {
    case "registry":
      return { packageName };
    case "git":
      return { packageName, gitUrl: source.url };
    case "file":
      return { packageName, folders: [source.path] };
  }
}
