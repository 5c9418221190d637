import type { LockedWorkflow, RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { placeForPlugin } from "../opencode/config-files.ts";
import type { Draft } from "../workspace/draft.ts";
import { OwnConfigs } from "../workspace/own-configs.ts";
import { isEntryFor, pinOf } from "../workspace/pin.ts";
import { portablePath } from "../workspace/place.ts";
import { planReturn } from "../workspace/plan-parking.ts";
import { returnPlugin } from "../workspace/plugin-order.ts";
import type { NamedEntry, Toggled } from "../workspace/toggled.ts";
import { moveFiles } from "./move-files.ts";

/** Brings workflows back to where they were when they were disabled, byte for byte. */
export function enable(draft: Draft, names: readonly string[]): Toggled[] {
  return names.map((name) => enableOne(draft, name));
}

function enableOne(draft: Draft, name: string): Toggled {
  const workflow = draft.workflows.get(name)!;
  const { delivery, version } = workflow;
  const about = { name, version, delivery: delivery.kind, entries: [], elsewhere: [], files: [] };
  if (delivery.kind === "copy") {
    if (!delivery.parked) return { ...about, change: "already-enabled" };
    return { ...about, change: "enabled", files: moveFiles(draft, name, planReturn, { parked: false }) };
  }
  const elsewhere = draft.named(draft.foreignEntries(name));
  if (draft.snapshot.isEnabled(name)) return { ...about, change: "already-enabled", elsewhere };
  return { ...about, change: "enabled", entries: putEntries(draft, name, workflow, delivery.disabled) };
}

/** Where it stood; without a place of this project's own among them, at the usual one. */
function putEntries(
  draft: Draft,
  name: string,
  workflow: LockedWorkflow,
  disabled: readonly RememberedPlugin[] = [],
): NamedEntry[] {
  const { place, snapshot, arrays, workflows } = draft;
  const entries = returnPlugin(name, disabled, {
    arrays,
    workflows,
    configs: new OwnConfigs(place),
    usualFile: placeForPlugin(snapshot.configs, place.configs, place.scope),
    specIn: (file, remembered) =>
      remembered !== undefined && isEntryFor(file, remembered.spec, workflow)
        ? remembered.spec
        : pinOf(place, name, workflow, file),
    isBack: (other, locked) => draft.isBack(other, locked),
  });
  workflows.set(name, { ...workflow, delivery: { kind: "plugin" } });
  return entries.map(({ file, spec }) => ({ file: portablePath(place, file), spec }));
}
