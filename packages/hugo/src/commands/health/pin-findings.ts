import { dirname, resolve } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { parsePackageSpec } from "../../sources/spec.ts";
import { pinOf } from "../../workspace/pin.ts";
import { type Place, portablePath } from "../../workspace/place.ts";
import { type HealthFinding, problem, warning } from "./finding.ts";
import type { LoadedFrom } from "./loaded-from.ts";

export interface PinnedWorkflow {
  readonly name: string;
  readonly locked: LockedWorkflow;
  /** All places at which it stands in the config, in OpenCode's order. */
  readonly entries: readonly LoadedFrom[];
  /** The version of the last of them that lies where OpenCode takes it from. */
  readonly present?: string;
}

/** Whether OpenCode loads the version that hugo.json holds, and from where it should. */
export function pinFindings(place: Place, workflow: PinnedWorkflow): HealthFinding[] {
  const last = workflow.entries.at(-1);
  if (last === undefined) return [];
  const drift = driftOf(place, workflow, last);
  return [...duplicates(place, workflow), ...drift, ...(drift.length === 0 ? stale(workflow, last) : [])];
}

function duplicates(place: Place, { name, entries }: PinnedWorkflow): HealthFinding[] {
  const [last, ...others] = [...entries].reverse();
  if (last === undefined || others.length === 0) return [];
  const files = [...new Set(entries.map(({ entry }) => portablePath(place, entry.file)))].join(" and ");
  const isLoadedTwice = others.some(({ isPath, folder }) => (isPath || last.isPath) && folder !== last.folder);
  const verdict = isLoadedTwice ? "OpenCode loads each of them" : `OpenCode loads the last, "${last.entry.spec}"`;
  const message = `It stands ${entries.length} times in ${files}: ${verdict}`;
  const hint = `Keep one, or run \`hugo disable ${name}\` and \`hugo enable ${name}\`.`;
  return [isLoadedTwice ? problem("duplicate-entry", message, hint) : warning("duplicate-entry", message, hint)];
}

function driftOf(place: Place, { name, locked, present }: PinnedWorkflow, last: LoadedFrom): HealthFinding[] {
  const again = `\`hugo install --force ${locked.source}\` puts it right.`;
  const file = portablePath(place, last.entry.file);
  const isOfRegistry = parsePackageSpec(locked.source).kind === "registry";
  if (last.isPath || !isOfRegistry) {
    const isKnown = locked.tree !== undefined || isOfRegistry;
    if (!isKnown || isSameFolder(pinOf(place, name, locked, last.entry.file), last)) return [];
    const message = `${file} has "${last.entry.spec}", which is not the package that was installed`;
    return [problem("drift", message, again)];
  }
  if (last.wanted === locked.version) return [];
  if (/^\d+\.\d+\.\d+/.test(last.wanted)) {
    const message = `${file} has "${last.entry.spec}", but ${locked.version} is installed`;
    return [problem("drift", message, again)];
  }
  const has = present === undefined ? "" : `, and has ${present}`;
  const message = `"${last.entry.spec}" in ${file} names no version: OpenCode keeps what it once fetched${has}`;
  return [present === locked.version ? warning("drift", message, again) : problem("drift", message, again)];
}

function isSameFolder(pin: string, { folder, entry }: LoadedFrom): boolean {
  return resolve(dirname(entry.file), pin) === folder;
}

function stale({ locked, present }: PinnedWorkflow, { cacheFolder }: LoadedFrom): HealthFinding[] {
  if (cacheFolder === undefined || present === undefined || present === locked.version) return [];
  const message = `OpenCode loads ${present} from its cache, although ${locked.version} is asked for`;
  return [problem("stale-cache", message, `Remove ${cacheFolder}: OpenCode fetches it again.`)];
}
