// Where plugins stand in an array of which some are disabled. A seat is the position that an entry has when all disabled
// ones are back, so that the order of the array survives, in whichever order they are disabled and enabled.
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { PluginEntry } from "../opencode/read-config.ts";
import type { OwnConfigs } from "./own-configs.ts";

/** A disabled plugin that will come back to this array. */
export interface DisabledEntry {
  readonly workflow: string;
  readonly seat: number;
}

export type Seat = { readonly entry: PluginEntry } | { readonly absent: string };

interface Known {
  readonly configs: OwnConfigs;
  /** Somebody put it back by hand: then it has a position, and the old one is forgotten. */
  isBack(name: string, workflow: LockedWorkflow): boolean;
}

/** The disabled plugins that will come back to a file. */
export function absentFrom(
  file: string,
  workflows: ReadonlyMap<string, LockedWorkflow>,
  { configs, isBack }: Known,
): DisabledEntry[] {
  return [...workflows].flatMap(([name, workflow]) => {
    const disabled = workflow.delivery.kind === "plugin" ? (workflow.delivery.disabled ?? []) : [];
    const here = disabled.filter((remembered) => configs.named(remembered.file) === file);
    if (here.length === 0 || isBack(name, workflow)) return [];
    return here.map(({ index }) => ({ workflow: name, seat: index }));
  });
}

/** The array with the disabled ones in it. */
export function seatsOf(entries: readonly PluginEntry[], absent: readonly DisabledEntry[]): Seat[] {
  const seats: Seat[] = entries.map((entry) => ({ entry }));
  const inOrder = absent.toSorted((a, b) => a.seat - b.seat || (a.workflow < b.workflow ? -1 : 1));
  // Somebody may have shortened the array: then a seat is the end.
  for (const { workflow, seat } of inOrder) seats.splice(Math.min(seat, seats.length), 0, { absent: workflow });
  return seats;
}

/** The index at which a disabled plugin comes back, the first of its seats, with those still left out that stay disabled; else the end. */
export function indexFor(workflow: string, entries: readonly PluginEntry[], absent: readonly DisabledEntry[]): number {
  const seats = seatsOf(entries, absent);
  const own = seats.findIndex((seat) => "absent" in seat && seat.absent === workflow);
  if (own < 0) return entries.length;
  return seats.slice(0, own).filter((seat) => "entry" in seat).length;
}
