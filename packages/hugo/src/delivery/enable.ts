import type { LockedWorkflow, RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { placeForPlugin } from "../opencode/config-files.ts";
import type { Desk } from "../workspace/desk.ts";
import { pinOf, standsFor } from "../workspace/pin.ts";
import { portablePath } from "../workspace/place.ts";
import { planReturn } from "../workspace/plan-parking.ts";
import { indexFor } from "../workspace/seats.ts";
import type { NamedEntry, Toggled } from "../workspace/toggled.ts";
import { moveFiles } from "./move-files.ts";

/** Brings workflows back to where they were when they were disabled, byte for byte. */
export function enable(desk: Desk, names: readonly string[]): Toggled[] {
  return names.map((name) => enableOne(desk, name));
}

function enableOne(desk: Desk, name: string): Toggled {
  const workflow = desk.workflows.get(name)!;
  const { delivery, version } = workflow;
  const about = { name, version, delivery: delivery.kind, entries: [], elsewhere: [], files: [] };
  if (delivery.kind === "copy") {
    if (!delivery.parked) return { ...about, change: "already-enabled" };
    return { ...about, change: "enabled", files: moveFiles(desk, name, planReturn, { parked: false }) };
  }
  const elsewhere = desk.named(desk.foreignEntries(name));
  if (desk.snapshot.isEnabled(name)) return { ...about, change: "already-enabled", elsewhere };
  return { ...about, change: "enabled", entries: putEntries(desk, name, workflow, delivery.disabled) };
}

/** Where it stood; without a place of this project's own among them, at the usual one. */
function putEntries(
  desk: Desk,
  name: string,
  workflow: LockedWorkflow,
  disabled: readonly RememberedPlugin[] = [],
): NamedEntry[] {
  const known = disabled.filter(({ file }) => desk.configFile(file) !== undefined);
  const wanted = known.length === 0 ? [disabled.at(-1)] : known;
  const put = wanted.map((remembered, at) => {
    // What is back has no seat any more.
    desk.workflows.set(name, { ...workflow, delivery: { kind: "plugin", disabled: known.slice(at) } });
    return putEntry(desk, name, workflow, remembered);
  });
  desk.workflows.set(name, { ...workflow, delivery: { kind: "plugin" } });
  return put;
}

function putEntry(
  desk: Desk,
  name: string,
  workflow: LockedWorkflow,
  disabled: RememberedPlugin | undefined,
): NamedEntry {
  const { place, configs } = desk.snapshot;
  const known = disabled === undefined ? undefined : desk.configFile(disabled.file);
  const file = known ?? placeForPlugin(configs, place.configs, place.scope);
  const remembered = known !== undefined && standsFor(file, disabled?.spec, workflow) ? disabled?.spec : undefined;
  const spec = remembered ?? pinOf(place, name, workflow, file);
  const index = indexFor(name, desk.arrays.entriesIn(file), desk.absentFrom(file));
  const options = disabled?.options;
  desk.arrays.put(file, { spec, index, ...(options !== undefined && { options }) });
  return { file: portablePath(place, file), spec };
}
