import { relative, resolve } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import type { PluginTarget } from "../opencode/find-plugin.ts";
import type { PackageSource } from "../sources/package-source.ts";
import { addressOf, parsePackageSpec, printPackageSpec, readGithubPage } from "../sources/spec.ts";
import { slashed, type WorkspacePlace } from "./place.ts";

/** A requested package, and how hugo.json records it. */
export interface Request {
  /** With an absolute path if it is local. */
  readonly source: PackageSource;
  /** Valid in every clone: a path is relative to the place's root. */
  readonly recorded: string;
}

export function requestOf(spec: string, { cwd }: Pick<Context, "cwd">, { root }: WorkspacePlace): Request {
  const source = parsePackageSpec(spec);
  if (source.kind !== "file") return { source, recorded: printPackageSpec(source) };
  const path = resolve(cwd, source.path);
  const way = slashed(relative(root, path));
  const isInside = way !== ".." && !way.startsWith("../");
  // An absolute path stays as the user wrote it, unless it is inside the project.
  const recorded = way === "" ? "." : isInside ? `./${way}` : source.path.startsWith("/") ? source.path : way;
  return { source: { ...source, path: slashed(path) }, recorded };
}

/**
 * A pasted address of a folder on GitHub as a spec that can be recorded: it does not say where a branch's name ends and
 * the folder starts, so the host is asked. All other specs are returned as they are.
 */
export async function settleSpec(spec: string, context: Context): Promise<string> {
  const page = readGithubPage(spec);
  if (page?.tree === undefined) return spec;
  // What cannot be a spec is not asked for.
  parsePackageSpec(spec);
  const { sourceOfPage } = await import("../sources/git/fetch-commit.ts");
  return printPackageSpec(await sourceOfPage(page, context));
}

/** The locked source as a request. */
export function lockedRequest({ source: recorded }: Pick<LockedWorkflow, "source">, { root }: WorkspacePlace): Request {
  const source = parsePackageSpec(recorded);
  if (source.kind !== "file") return { source, recorded };
  return { source: { ...source, path: slashed(resolve(root, source.path)) }, recorded };
}

/** How to recognize the package's entries in plugin arrays. */
export function targetOf({ source }: Request, packageName: string): PluginTarget {
  switch (source.kind) {
    case "registry":
      return { packageName };
    case "git":
      return { packageName, gitUrl: addressOf(source) };
    case "file":
      return { packageName, folders: [source.path] };
  }
}
