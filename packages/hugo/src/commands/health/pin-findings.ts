import { dirname, resolve } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { LoadedFrom } from "../../opencode/loaded-from.ts";
import { parsePackageSpec } from "../../sources/spec.ts";
import { pinOf } from "../../workspace/pin.ts";
import { portablePath, type WorkspacePlace } from "../../workspace/place.ts";
import { commandFor } from "../../workspace/request.ts";
import { type HealthFinding, problem, warning } from "./finding.ts";

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
  const again = `${commandFor(place, "install --force", locked.source)} fixes it.`;
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
