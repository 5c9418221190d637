// What the arrival of a plugin does to the plugin arrays.
import { dirname, relative, sep } from "node:path";
import type { LockedDelivery } from "../lock-file/lock.ts";
import { PluginArrays } from "../manage/plugin-arrays.ts";
import { configFiles, placeForPlugin } from "../opencode-config/config-files.ts";
import { findPlugin, identifyPlugins, type PluginTarget } from "../opencode-config/find-plugin.ts";
import { editConfig, type MadeByHugo, movePin } from "../opencode-config/plugin-edits.ts";
import type { PluginEntry } from "../opencode-config/read-config.ts";
import { absolutePath, type Place, portablePath } from "../place.ts";
import type { View } from "./view.ts";

/** Where OpenCode finds the code of a version. */
export type PluginCode =
  /** It fetches the version from the registry itself. */
  | { readonly kind: "registry"; readonly pin: string }
  /** It loads the one copy in Hugo's store. */
  | { readonly kind: "store" /** Absolute. */; readonly folder: string };

export interface ChangedArrays {
  readonly configs: ReadonlyMap<string, string | undefined>;
  /** What Hugo made in which config file, for the lock. */
  readonly made: ReadonlyMap<string, MadeByHugo>;
}

type PluginBefore = Extract<LockedDelivery, { kind: "plugin" }>;

export interface PluginWish {
  readonly target: PluginTarget;
  readonly code: PluginCode;
  readonly isEnabled: boolean;
}

export interface PluginDelivery extends ChangedArrays {
  readonly delivery: PluginBefore;
}

/** How the code is written in a config file: paths are relative to the file that they stand in. */
export function specIn(file: string, code: PluginCode): string {
  if (code.kind === "registry") return code.pin;
  const way = relative(dirname(file), code.folder).split(sep).join("/");
  return way.startsWith("../") ? way : `./${way}`;
}

/** Every entry of the package in the config files of this place. */
export function entriesFor({ place, configs }: View, target: PluginTarget): PluginEntry[] {
  const scopes = new Map(configFiles(place.configs).map(({ path, scope }) => [path, scope]));
  return findPlugin(identifyPlugins(configs), target).filter(({ file }) => scopes.get(file) === place.scope);
}

/**
 * Puts the version into the arrays. An entry that is there, whoever wrote it, stays where it is and gets the exact
 * version; else the plugin comes back to where it was disabled, or behind the others.
 */
export function deliverPlugin(view: View, before: PluginBefore | undefined, wish: PluginWish): PluginDelivery {
  const { target, code, isEnabled } = wish;
  const disabled = before?.disabled;
  const entries = entriesFor(view, target);
  if (entries.length > 0) return { ...movedEntries(view, entries, code), delivery: { kind: "plugin" } };
  if (!isEnabled) return { ...unchanged(view), delivery: remembered(view, disabled, code) };
  const file =
    ownConfigFile(view.place, disabled?.file) ?? placeForPlugin(view.configs, view.place.configs, view.place.scope);
  const changed = changedArrays(view, (arrays) => {
    const end = arrays.entriesIn(file).length;
    arrays.put(file, { ...disabled, spec: specIn(file, code), index: Math.min(disabled?.index ?? end, end) });
  });
  return { ...changed, delivery: { kind: "plugin" } };
}

/** What comes back when it is enabled must be the new version. */
function remembered(view: View, disabled: PluginBefore["disabled"], code: PluginCode): PluginBefore {
  const file = ownConfigFile(view.place, disabled?.file);
  if (disabled === undefined || file === undefined) return { kind: "plugin" };
  const spec = specIn(file, code);
  return { kind: "plugin", disabled: { ...disabled, spec } };
}

/** The lock may come from anybody, so it can only name files that OpenCode reads for this place. */
function ownConfigFile(place: Place, recorded: string | undefined): string | undefined {
  const own = configFiles(place.configs).filter(({ scope }) => scope === place.scope);
  return own.find(({ path }) => portablePath(place, path) === recorded)?.path;
}

function unchanged({ lock }: View): ChangedArrays {
  return { configs: new Map(), made: lock.configs };
}

function movedEntries(view: View, entries: readonly PluginEntry[], code: PluginCode): ChangedArrays {
  const texts = view.configs.flatMap((config): [string, string][] => {
    const spec = specIn(config.file, code);
    const ours = entries.filter((entry) => entry.file === config.file && entry.spec !== spec);
    return ours.length === 0
      ? []
      : [
          [
            config.file,
            editConfig(
              config,
              ours.flatMap((entry) => movePin(entry, spec)),
            ),
          ],
        ];
  });
  return { ...unchanged(view), configs: new Map(texts) };
}

/** Takes all entries of the package out. */
export function withdrawPlugin(view: View, target: PluginTarget): ChangedArrays {
  return changedArrays(view, (arrays) => arrays.take(entriesFor(view, target)));
}

function changedArrays({ place, lock, configs }: View, change: (arrays: PluginArrays) => void): ChangedArrays {
  const made = [...lock.configs].map(([path, what]) => [absolutePath(place, path), what] as const);
  const arrays = new PluginArrays(configs, new Map(made));
  change(arrays);
  const now = [...arrays.made].map(([path, what]) => [portablePath(place, path), what] as const);
  return { configs: arrays.texts(), made: new Map(now) };
}
