import { relative, resolve } from "node:path";
import { shellWord } from "@atomic/terminal/shell-words";
import type { Lock, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
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

/** How to name the version that was found, also if an installed workflow is called like its package. */
export function candidateSpec({ source, recorded }: Request, version: string): string {
  return source.kind === "registry" ? `${source.name}@${version}` : recorded;
}

/** The locked source as a request. */
export function lockedRequest({ source: recorded }: Pick<LockedWorkflow, "source">, { root }: WorkspacePlace): Request {
  const source = parsePackageSpec(recorded);
  if (source.kind !== "file") return { source, recorded };
  return { source: { ...source, path: slashed(resolve(root, source.path)) }, recorded };
}

/** A source for a shell in the current folder: hugo.json records paths relative to the project, wherever the user is. */
export function typedSource(place: WorkspacePlace, recorded: string): string {
  if (!/^\.{1,2}(?:\/|$)/.test(recorded)) return shellWord(recorded);
  const way = slashed(relative(place.configs.start, resolve(place.root, recorded)));
  return shellWord(way === "" ? "." : /^\.\.(?:\/|$)/.test(way) ? way : `./${way}`);
}

/** In backticks, a command that works when it is pasted into the user's shell: `hugo install -g --force './a b'`. */
export function commandFor(place: WorkspacePlace, command: string, recorded: string, more = ""): string {
  const [verb, ...options] = command.split(" ");
  const words = ["hugo", verb, ...(place.scope === "global" ? ["-g"] : []), ...options, typedSource(place, recorded)];
  return `\`${[...words, ...(more === "" ? [] : [more])].join(" ")}\``;
}

/** How to recognize the package's entries in plugin arrays, among those of the other workflows in the lock. */
export function targetOf(
  { source }: Pick<Request, "source">,
  workflow: string,
  packageName: string,
  lock: Pick<Lock, "workflows">,
): PluginTarget {
  const isShared = [...lock.workflows].some(([name, other]) => name !== workflow && other.package === packageName);
  const about = {
    packageName,
    workflow,
    ...(isShared && { only: source.kind === "registry" ? ("named" as const) : ("placed" as const) }),
  };
  switch (source.kind) {
    case "registry":
      return about;
    case "git":
      return { ...about, gitUrl: addressOf(source) };
    case "file":
      return { ...about, folders: [source.path] };
  }
}

/**
 * Which package a spec asks for, whatever version of it. Two with the same origin are one workflow; two packages that
 * only share a name are not.
 */
export function originOf({ source }: Pick<Request, "source">): string {
  switch (source.kind) {
    case "registry":
      return source.name;
    case "git":
      return addressOf(source).replace(/(?:\.git)?$/, "");
    case "file":
      return source.path;
  }
}
