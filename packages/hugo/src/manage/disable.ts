import { portablePath } from "../place.ts";
import { planParking } from "../plan/plan-parking.ts";
import type { Desk } from "./desk.ts";
import { moveFiles } from "./move-files.ts";
import { seatsOf } from "./seats.ts";
import type { Toggled } from "./toggled.ts";

/** Takes workflows out of OpenCode's sight, so that they can come back exactly as they are now. */
export function disable(desk: Desk, names: readonly string[]): Toggled[] {
  const results = names.map((name) => disableOne(desk, name));
  // All at once, as the first removal moves the entries behind it.
  desk.arrays.take(names.flatMap((name) => (isPlugin(desk, name) ? desk.ownEntries(name) : [])));
  return results;
}

function isPlugin(desk: Desk, name: string): boolean {
  return desk.workflows.get(name)?.delivery.kind === "plugin";
}

function disableOne(desk: Desk, name: string): Toggled {
  const { delivery, version } = desk.workflows.get(name)!;
  const about = { name, version, delivery: delivery.kind, entries: [], elsewhere: [], files: [] };
  if (delivery.kind === "copy") {
    if (delivery.parked) return { ...about, change: "already-disabled" };
    return { ...about, change: "disabled", files: moveFiles(desk, name, planParking, { parked: true }) };
  }
  const [own, elsewhere] = [desk.ownEntries(name), desk.named(desk.foreignEntries(name))];
  if (own.length > 0) {
    rememberEntry(desk, name);
    return { ...about, change: "disabled", entries: desk.named(own), elsewhere };
  }
  return { ...about, change: elsewhere.length === 0 ? "already-disabled" : "enabled-elsewhere", elsewhere };
}

/** If there are several, the last is the one that OpenCode loads. */
function rememberEntry(desk: Desk, name: string): void {
  const entry = desk.ownEntries(name).at(-1)!;
  const { file, spec, options } = entry;
  const seats = seatsOf(desk.arrays.entriesIn(file), desk.absentFrom(file));
  const index = seats.findIndex((seat) => "entry" in seat && seat.entry.index === entry.index);
  const recorded = portablePath(desk.snapshot.place, file);
  const disabled = { file: recorded, index, spec, ...(options !== undefined && { options }) };
  desk.workflows.set(name, { ...desk.workflows.get(name)!, delivery: { kind: "plugin", disabled } });
}
