import type { PluginEntry } from "../opencode/read-config.ts";
import { OwnConfigs } from "./plugin-arrays.ts";
import type { WorkspaceSnapshot } from "./snapshot.ts";

/** A plugin that this place's config files list, but that Hugo did not install. */
export interface UnmanagedPlugin {
  /** What people call it: its package's name, or the entry as it is written. */
  readonly name: string;
  /** In OpenCode's order: of several versions of a package, OpenCode loads the last. */
  readonly entries: readonly [PluginEntry, ...PluginEntry[]];
}

/** The package that contains Hugo itself. */
const OWN_PACKAGE = "hugo-pm";

export function unmanagedPlugins(
  snapshot: Pick<WorkspaceSnapshot, "place" | "lock" | "plugins" | "entriesOf">,
): UnmanagedPlugin[] {
  const { byName, others } = snapshot.plugins;
  const own = new OwnConfigs(snapshot.place);
  const managed = new Set([...snapshot.lock.workflows.keys()].flatMap((name) => snapshot.entriesOf(name)));
  const named = [...byName].map(([name, found]) => ({ name, entries: found.map(({ entry }) => entry) }));
  const all = [...named, ...others.map(({ entry }) => ({ name: entry.spec, entries: [entry] }))];
  return all.flatMap(({ name, entries }) => {
    const [first, ...more] = entries.filter((entry) => own.has(entry.file) && !managed.has(entry));
    return first === undefined || name === OWN_PACKAGE ? [] : [{ name, entries: [first, ...more] as const }];
  });
}
