import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../../context.ts";
import type { PluginEntry } from "../../opencode/read-config.ts";
import { parsePackageSpec } from "../../sources/spec.ts";
import { pinOf } from "../../workspace/pin.ts";
import { portablePath, type WorkspacePlace } from "../../workspace/place.ts";
import { type HealthFinding, problem, warning } from "./finding.ts";

/** Where OpenCode loads a plugin from. */
export interface LoadedFrom {
  readonly entry: PluginEntry;
  /** The package's folder; it may not exist yet. */
  readonly folder: string;
  /** The config names it as a path, so OpenCode fetches nothing. */
  readonly isPath: boolean;
  /** As OpenCode names it in its log. */
  readonly shownAs: string;
  /** What follows the name: a version, a range, a tag, or nothing. */
  readonly wanted: string;
  /** What to remove so OpenCode fetches it again. */
  readonly cacheFolder?: string;
}

const NAMED = /^((?:@[^/@\s]+\/)?[^/@\s:#]+)(?:@(.+))?$/;

/** Undefined for forms that Hugo never writes, such as git addresses. */
export function loadedFrom(entry: PluginEntry, { env, home }: Pick<Context, "env" | "home">): LoadedFrom | undefined {
  const { spec, file } = entry;
  if (/^(?:\.|\/|file:\/\/)/.test(spec) || isAbsolute(spec)) {
    const folder = spec.startsWith("file://") ? fileURLToPath(spec) : resolve(dirname(file), spec);
    return { entry, folder, isPath: true, shownAs: pathToFileURL(folder).href, wanted: "" };
  }
  const [, name, wanted = ""] = NAMED.exec(spec) ?? [];
  if (name === undefined || wanted.includes(":")) return undefined;
  // OpenCode caches a package under the text of the config entry, and never looks for a newer one under the same text.
  const cacheFolder = join(
    env.XDG_CACHE_HOME || join(home, ".cache"),
    "opencode",
    "packages",
    wanted === "" ? `${name}@latest` : spec,
  );
  return { entry, folder: join(cacheFolder, "node_modules", name), isPath: false, shownAs: spec, wanted, cacheFolder };
}

/** The version of the package there; undefined if there is none. */
export function versionIn(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export interface PinnedWorkflow {
  readonly name: string;
  readonly locked: LockedWorkflow;
  /** All config entries for it, in OpenCode's order. */
  readonly entries: readonly LoadedFrom[];
  /** The version that OpenCode would load for the last of them, if it is on disk. */
  readonly present?: string;
}

/** Whether OpenCode loads the locked version, from the right place. */
export function pinFindings(place: WorkspacePlace, workflow: PinnedWorkflow): HealthFinding[] {
  const last = workflow.entries.at(-1);
  if (last === undefined) return [];
  const { locked, present } = workflow;
  const drift = driftOf(place, workflow, last);
  const { cacheFolder } = last;
  const isStale = last.wanted === locked.version && present !== undefined && present !== locked.version;
  const message = `OpenCode loads ${present} from its cache, but the plugin entry asks for ${locked.version}`;
  const stale = problem("stale-cache", message, `Remove ${cacheFolder}; OpenCode will fetch it again.`);
  return [...duplicates(place, workflow), ...drift, ...(isStale ? [stale] : [])];
}

function duplicates(place: WorkspacePlace, { name, entries }: PinnedWorkflow): HealthFinding[] {
  const [last, ...others] = [...entries].reverse();
  if (last === undefined || others.length === 0) return [];
  const files = [...new Set(entries.map(({ entry }) => portablePath(place, entry.file)))].join(" and ");
  const isLoadedTwice = others.some(({ isPath, folder }) => (isPath || last.isPath) && folder !== last.folder);
  const verdict = isLoadedTwice
    ? "OpenCode loads every entry"
    : `OpenCode loads only the last one, "${last.entry.spec}"`;
  const message = `It is listed ${entries.length} times in ${files}: ${verdict}`;
  const hint = `Keep only one of them, or run \`hugo disable ${name}\` and then \`hugo enable ${name}\`.`;
  return [isLoadedTwice ? problem("duplicate-entry", message, hint) : warning("duplicate-entry", message, hint)];
}

function driftOf(place: WorkspacePlace, { name, locked, present }: PinnedWorkflow, last: LoadedFrom): HealthFinding[] {
  const again = `\`hugo install --force ${locked.source}\` fixes it.`;
  const file = portablePath(place, last.entry.file);
  const isOfRegistry = parsePackageSpec(locked.source).kind === "registry";
  if (last.isPath || !isOfRegistry) {
    const isKnown = locked.tree !== undefined || isOfRegistry;
    if (!isKnown || resolve(dirname(last.entry.file), pinOf(place, name, locked, last.entry.file)) === last.folder)
      return [];
    const message = `${file} lists "${last.entry.spec}", which is not the package that was installed`;
    return [problem("drift", message, again)];
  }
  if (last.wanted === locked.version) {
    // After a migration, there may be nothing else to load.
    if (locked.tree === undefined) return [];
    const message = `${file} lists "${last.entry.spec}", so OpenCode fetches the package by itself instead of loading what Hugo checked`;
    return [warning("drift", message, "`hugo ci` points the entry to Hugo's store.")];
  }
  if (/^\d+\.\d+\.\d+/.test(last.wanted)) {
    const message = `${file} lists "${last.entry.spec}", but ${locked.version} is installed`;
    return [problem("drift", message, again)];
  }
  const has = present === undefined ? "" : `, which is ${present}`;
  const message = `"${last.entry.spec}" in ${file} does not specify an exact version, so OpenCode keeps the version it fetched first${has}`;
  return [present === locked.version ? warning("drift", message, again) : problem("drift", message, again)];
}
