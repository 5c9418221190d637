import type { RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { remember } from "../opencode/plugin-edits.ts";
import type { Desk } from "../workspace/desk.ts";
import { portablePath } from "../workspace/place.ts";
import { planParking } from "../workspace/plan-parking.ts";
import { seatsOf } from "../workspace/seats.ts";
import type { Toggled } from "../workspace/toggled.ts";
import { moveFiles } from "./move-files.ts";

/** Takes workflows out of OpenCode's sight, so that they can come back exactly as they are now. */
export function disable(desk: Desk, names: readonly string[]): Toggled[] {
  // Before anything is changed: who is still there counts once.
  const entries = new Map(names.map((name) => [name, rememberedEntries(desk, name)]));
  const results = names.map((name) => disableOne(desk, name, entries.get(name) ?? []));
  // All at once, as the first removal moves the entries behind it.
  desk.arrays.take(names.flatMap((name) => (isPlugin(desk, name) ? desk.ownEntries(name) : [])));
  return results;
}

function isPlugin(desk: Desk, name: string): boolean {
  return desk.workflows.get(name)?.delivery.kind === "plugin";
}

function disableOne(desk: Desk, name: string, remembered: readonly RememberedPlugin[]): Toggled {
  const workflow = desk.workflows.get(name)!;
  const { delivery, version } = workflow;
  const about = { name, version, delivery: delivery.kind, entries: [], elsewhere: [], files: [] };
  if (delivery.kind === "copy") {
    if (delivery.parked) return { ...about, change: "already-disabled" };
    return { ...about, change: "disabled", files: moveFiles(desk, name, planParking, { parked: true }) };
  }
  const [own, elsewhere] = [desk.ownEntries(name), desk.named(desk.foreignEntries(name))];
  if (own.length > 0) {
    desk.workflows.set(name, { ...workflow, delivery: { kind: "plugin", disabled: remembered } });
    return { ...about, change: "disabled", entries: desk.named(own), elsewhere };
  }
  return { ...about, change: elsewhere.length === 0 ? "already-disabled" : "enabled-elsewhere", elsewhere };
}

/** All of them, since options may stand in one that another one outdoes. */
function rememberedEntries(desk: Desk, name: string): RememberedPlugin[] {
  return desk.ownEntries(name).map((entry) => {
    const { file } = entry;
    const seats = seatsOf(desk.arrays.entriesIn(file), desk.absentFrom(file));
    const index = seats.findIndex((seat) => "entry" in seat && seat.entry.index === entry.index);
    return { ...remember(entry), file: portablePath(desk.snapshot.place, file), index };
  });
}
