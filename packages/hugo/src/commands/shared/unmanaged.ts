// Plugins that the user added to a config file without Hugo: which version OpenCode uses, and how Hugo can manage them.
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { PluginPart } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { partOf } from "../../opencode/config-files.ts";
import { loadedFrom, packageCache, versionIn } from "../../opencode/loaded-from.ts";
import { parsePackageSpec } from "../../sources/spec.ts";
import type { NamedEntry } from "../../workspace/draft.ts";
import { portablePath, slashed } from "../../workspace/place.ts";
import { type Request, requestOf } from "../../workspace/request.ts";
import type { WorkspaceSnapshot } from "../../workspace/snapshot.ts";
import { type UnmanagedPlugin, unmanagedPlugins } from "../../workspace/unmanaged.ts";

export interface UnmanagedEntry {
  readonly name: string;
  readonly entries: readonly NamedEntry[];
  /** What OpenCode has of it: a version, or a commit. Undefined if it has not fetched it yet. */
  readonly version?: string;
  /** How Hugo can manage it, or why it cannot. */
  readonly adoption: Adoption | { readonly problem: string };
}

export interface Adoption {
  /** What the user wrote: updates stay within that range. */
  readonly request: Request;
  /** Where it is loaded; an adoption adds no entries. */
  readonly parts: readonly PluginPart[];
  /** The version or commit that OpenCode has already fetched. */
  readonly cached?: string | undefined;
}

export function readUnmanaged(snapshot: WorkspaceSnapshot, context: Context): UnmanagedEntry[] {
  return unmanagedPlugins(snapshot).map((plugin): UnmanagedEntry => {
    const { name, entries } = plugin;
    const last = entries.at(-1) ?? entries[0];
    const adoption = adoptionOf(snapshot, plugin, context);
    const source = "request" in adoption ? adoption.request.source : undefined;
    const from = loadedFrom(last, context);
    const isExact = source?.kind === "registry" && source.wanted.kind === "version";
    const cached = source?.kind === "git" ? commitIn(packageCache(context, last.spec)) : from && versionIn(from.folder);
    const version = isExact ? source.wanted.text : cached;
    return {
      name,
      entries: entries.map(({ file, spec }) => ({ file: portablePath(snapshot.place, file), spec })),
      ...(version !== undefined && { version }),
      adoption: "problem" in adoption || source?.kind === "file" ? adoption : { ...adoption, cached },
    };
  });
}

/** By its package's name, with or without the scope, or as its entry is written. */
export function findUnmanaged(found: readonly UnmanagedEntry[], name: string): UnmanagedEntry | undefined {
  return found.find(
    ({ name: own, entries }) => own === name || entries.some(({ spec }) => spec === name) || own.endsWith(`/${name}`),
  );
}

/** Atomic's own plugin: its name, a version of it, or a path into its package. */
const OF_ATOMIC = /(?:^|npm:|[\\/])@atomic[\\/]cli(?:@[^\\/]*)?(?:[\\/]|$)/;

function adoptionOf(
  { place }: Pick<WorkspaceSnapshot, "place">,
  { entries }: UnmanagedPlugin,
  context: Context,
): UnmanagedEntry["adoption"] {
  const parts = [...new Set(entries.map(({ file }) => partOf(file)))];
  const last = entries.at(-1) ?? entries[0];
  if (OF_ATOMIC.test(last.spec)) return { problem: "`atomic setup` adds and removes it" };
  const from = loadedFrom(last, context);
  if (from?.isPath) {
    const stats = statSync(from.folder, { throwIfNoEntry: false });
    if (stats === undefined) return { problem: `${last.spec} does not exist` };
    if (!stats.isDirectory()) return { problem: "it is a file of your own, so there is nothing to install or update" };
    // A relative path stays one: it is valid in every clone.
    const way = slashed(relative(context.cwd, from.folder));
    const path = last.spec.startsWith(".") ? (way.startsWith("../") ? way : `./${way}`) : slashed(from.folder);
    return { request: requestOf(path, context, place), parts };
  }
  try {
    const source = parsePackageSpec(last.spec);
    if (source.kind === "file") return { problem: `OpenCode does not load plugins that are written as ${last.spec}` };
    return { request: requestOf(last.spec, context, place), parts };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    return { problem: error.message };
  }
}

/** The commit that OpenCode's installer noted when it fetched a repository. */
function commitIn(cacheFolder: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(cacheFolder, "node_modules", ".package-lock.json"), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return /"resolved":\s*"git[^"#]*#([0-9a-f]{40})"/.exec(text)?.[1];
}
