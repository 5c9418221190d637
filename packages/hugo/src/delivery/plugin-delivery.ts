// What installing or updating a plugin does to the plugin arrays.
import type {
  LockedDelivery,
  LockedWorkflow,
  MadeByHugo,
  RememberedPlugin,
} from "@atomic/workflows/internal/hugo-lock/lock";
import { placeForPlugin } from "../opencode/config-files.ts";
import { findPlugin, identifyPlugins, type PluginTarget } from "../opencode/find-plugin.ts";
import { type PluginCode, specIn } from "../opencode/plugin-code.ts";
import { editConfig, movePin } from "../opencode/plugin-edits.ts";
import type { PluginEntry } from "../opencode/read-config.ts";
import { OwnConfigs } from "../workspace/own-configs.ts";
import { PluginArrays } from "../workspace/plugin-arrays.ts";
import { lockedRequest, targetOf } from "../workspace/request.ts";
import { absentFrom, type DisabledEntry, indexFor } from "../workspace/seats.ts";
import type { View } from "./view.ts";

export interface ChangedArrays {
  readonly configs: ReadonlyMap<string, string | undefined>;
  /** What Hugo made in which config file, for the lock. */
  readonly made: ReadonlyMap<string, MadeByHugo>;
}

export interface PluginOptions {
  readonly target: PluginTarget;
  readonly code: PluginCode;
  readonly isEnabled: boolean;
}

export interface PluginDelivery extends ChangedArrays {
  readonly delivery: Extract<LockedDelivery, { kind: "plugin" }>;
}

/** Every entry of the package in the config files of this place. */
export function entriesFor({ place, configs }: View, target: PluginTarget): PluginEntry[] {
  const own = new OwnConfigs(place);
  return findPlugin(identifyPlugins(configs), target).filter(({ file }) => own.has(file));
}

/**
 * Puts the version into the arrays. An entry that is there, whoever wrote it, stays where it is and gets the exact
 * version; else the plugin comes back to where it was disabled, or behind the others.
 */
export function deliverPlugin(view: View, workflow: string, options: PluginOptions): PluginDelivery {
  const { target, code, isEnabled } = options;
  const entries = entriesFor(view, target);
  if (entries.length > 0) return { ...movedEntries(view, entries, code), delivery: { kind: "plugin" } };
  const before = view.lock.workflows.get(workflow)?.delivery;
  const disabled = (before?.kind === "plugin" && before.disabled) || [];
  const configs = new OwnConfigs(view.place);
  const known = disabled.flatMap((remembered) => {
    const file = configs.named(remembered.file);
    return file === undefined ? [] : [{ file, remembered }];
  });
  if (!isEnabled) {
    // What comes back when it is enabled must be the new version.
    const moved = known.map(({ file, remembered }) => ({ ...remembered, spec: specIn(file, code) }));
    return { ...unchanged(view), delivery: { kind: "plugin", ...(moved.length > 0 && { disabled: moved }) } };
  }
  const usual = placeForPlugin(view.configs, view.place.configs, view.place.scope);
  const wanted = known.length > 0 ? known : [{ file: usual, remembered: disabled.at(-1) }];
  const changed = changedArrays(view, (arrays) => {
    for (const [at, { file, remembered }] of wanted.entries()) {
      const left = known.slice(at).map((each) => each.remembered);
      const absent = absentIn(view, file, workflow, left);
      const index = indexFor(workflow, arrays.entriesIn(file), absent);
      arrays.put(file, { ...remembered, spec: specIn(file, code), index });
    }
  });
  return { ...changed, delivery: { kind: "plugin" } };
}

/** @param left What has still to come back of a workflow. */
function absentIn(view: View, file: string, workflow: string, left: readonly RememberedPlugin[]): DisabledEntry[] {
  const { place, lock } = view;
  const locked = lock.workflows.get(workflow);
  const workflows = new Map(lock.workflows);
  if (locked !== undefined) workflows.set(workflow, { ...locked, delivery: { kind: "plugin", disabled: left } });
  const isBack = (_: string, workflow: LockedWorkflow): boolean =>
    entriesFor(view, targetOf(lockedRequest(workflow, place), workflow.package)).length > 0;
  return absentFrom(file, workflows, { configs: new OwnConfigs(place), isBack });
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
  const own = new OwnConfigs(place);
  const arrays = new PluginArrays(configs, own.made(lock));
  change(arrays);
  return { configs: arrays.texts(), made: own.recorded(arrays.made) };
}
