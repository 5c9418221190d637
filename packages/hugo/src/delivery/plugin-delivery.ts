// What installing or updating a plugin does to the plugin arrays.
import type { LockedDelivery, LockedWorkflow, MadeByHugo, PluginPart } from "@atomic/workflows/internal/hugo-lock/lock";
import { partOf, placeForPlugin } from "../opencode/config-files.ts";
import { findPlugin, identifyPlugins, type PluginTarget } from "../opencode/find-plugin.ts";
import { editConfig, movePin, specIn } from "../opencode/plugin-edits.ts";
import type { PluginEntry } from "../opencode/read-config.ts";
import { parsePackageSpec } from "../sources/spec.ts";
import type { DraftView } from "../workspace/draft.ts";
import { pinOf } from "../workspace/pin.ts";
import { OwnConfigs, PluginArrays, returnPlugin } from "../workspace/plugin-arrays.ts";
import { lockedRequest, targetOf } from "../workspace/request.ts";
import { storedFolder } from "../workspace/store/store.ts";

export interface ChangedArrays {
  readonly configs: ReadonlyMap<string, string | undefined>;
  /** What Hugo made in which config file, for the lock. */
  readonly made: ReadonlyMap<string, MadeByHugo>;
}

export interface PluginOptions {
  /** How to find the package in plugin arrays, however it is written there. */
  readonly target: PluginTarget;
  /** Its package in the store, absolute: OpenCode loads it from there. */
  readonly folder: string;
  /** Whether OpenCode sees it afterwards. */
  readonly isEnabled: boolean;
  /** What OpenCode loads from it; only the server if missing. */
  readonly parts?: readonly PluginPart[];
}

interface PluginDelivery extends ChangedArrays {
  readonly delivery: Extract<LockedDelivery, { kind: "plugin" }>;
}

/** Every entry of the package in this place's config files. */
export function entriesFor(
  { place, configs }: Pick<DraftView, "place" | "configs">,
  target: PluginTarget,
): PluginEntry[] {
  const own = new OwnConfigs(place);
  return findPlugin(identifyPlugins(configs), target).filter(({ file }) => own.has(file));
}

/** Entries of the package in config files that are not this place's: OpenCode loads them, too. */
export function entriesElsewhere(
  { place, configs }: Pick<DraftView, "place" | "configs">,
  target: PluginTarget,
): PluginEntry[] {
  const own = new OwnConfigs(place);
  return findPlugin(identifyPlugins(configs), target).filter(({ file }) => !own.has(file));
}

/**
 * Puts the version into the arrays. An existing entry stays where it is and gets the exact version, even one that was
 * written by hand; otherwise the plugin returns to where it was disabled, or goes last.
 */
export function deliverPlugin(view: DraftView, workflow: string, options: PluginOptions): PluginDelivery {
  const { target, folder, isEnabled, parts = ["server"] } = options;
  const entries = entriesFor(view, target);
  const before = view.lock.workflows.get(workflow)?.delivery;
  const disabled = (before?.kind === "plugin" && before.disabled) || [];
  const own = new OwnConfigs(view.place);
  const delivery = { kind: "plugin", ...(parts.includes("tui") && { parts }) } as const;
  if (entries.length === 0 && !isEnabled) {
    // Enabling it later must restore the new version.
    const moved = disabled.flatMap((remembered) => {
      const file = own.named(remembered.file);
      return file === undefined || !parts.includes(partOf(file)) ? [] : [{ ...remembered, spec: specIn(file, folder) }];
    });
    const remembering = { ...delivery, ...(moved.length > 0 && { disabled: moved }) };
    return { configs: new Map(), made: view.lock.configs, delivery: remembering };
  }
  const changed = changedArrays(view, (arrays) => {
    const isLoaded = ({ file }: PluginEntry): boolean => parts.includes(partOf(file));
    arrays.replace(movePins(view, entries.filter(isLoaded), folder), arrays.made);
    // A new version may have lost a part.
    arrays.take(entries.filter((entry) => !isLoaded(entry)));
    for (const part of parts.filter((part) => !entries.some(({ file }) => partOf(file) === part))) {
      returnPlugin(
        workflow,
        disabled.filter(({ file }) => partOf(file) === part),
        {
          arrays,
          workflows: view.lock.workflows,
          configs: own,
          usualFile: placeForPlugin(view.configs, view.place.configs, view.place.scope, part),
          specIn: (file) => specIn(file, folder),
          isBack: (name, other) =>
            entriesFor(view, targetOf(lockedRequest(other, view.place), name, other.package, view.lock)).length > 0,
        },
      );
    }
  });
  return { ...changed, delivery };
}

/** Points entries at a package in the store; returns the new texts. */
function movePins(view: DraftView, entries: readonly PluginEntry[], folder: string): Map<string, string> {
  const configs = new Map<string, string>();
  for (const config of view.configs) {
    const spec = specIn(config.file, folder);
    const outdated = entries.filter((entry) => entry.file === config.file && entry.spec !== spec);
    const edits = outdated.flatMap((entry) => movePin(entry, spec));
    if (outdated.length > 0) configs.set(config.file, editConfig(config, edits));
  }
  return configs;
}

/** The entries that name exactly the locked version: for those, OpenCode fetches the package again by itself. */
export function entriesByName(view: Pick<DraftView, "place" | "configs">, locked: LockedWorkflow): PluginEntry[] {
  const { package: packageName, version, source, tree, delivery } = locked;
  if (delivery.kind !== "plugin" || tree === undefined || parsePackageSpec(source).kind !== "registry") return [];
  const entries = entriesFor(view, { packageName });
  return entries.filter(({ spec }) => spec === `${packageName}@${version}`);
}

/** Moves such entries, and those for the package as it was locked before, to the package in the store. */
export function moveToStore(
  view: DraftView,
  name: string,
  locked: LockedWorkflow,
  before: LockedWorkflow,
): Map<string, string> {
  const { package: packageName, tree, dependencies } = locked;
  if (tree === undefined || locked.delivery.kind !== "plugin") return new Map();
  const entries = entriesFor(view, targetOf(lockedRequest(locked, view.place), name, packageName, view.lock)).filter(
    ({ file, spec }) => spec === pinOf(view.place, name, before, file),
  );
  const folder = storedFolder(view.place.stateFolder, name, packageName, { tree, dependencies });
  return movePins(view, [...entries, ...entriesByName(view, locked)], folder);
}

/** Removes all entries of the package. */
export function withdrawPlugin(view: DraftView, target: PluginTarget): ChangedArrays {
  return changedArrays(view, (arrays) => arrays.take(entriesFor(view, target)));
}

function changedArrays({ place, lock, configs }: DraftView, change: (arrays: PluginArrays) => unknown): ChangedArrays {
  const own = new OwnConfigs(place);
  const arrays = new PluginArrays(configs, own.made(lock));
  change(arrays);
  return { configs: arrays.texts(), made: own.recorded(arrays.made) };
}
