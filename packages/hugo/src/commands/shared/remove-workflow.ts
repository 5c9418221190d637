import type { LockedWorkflow } from "@atomic/workflows/hugo-lock/lock";
import { planCopy } from "../../delivery/plan-copy.ts";
import type { Desk } from "../../workspace/desk.ts";
import { type CopyDelivery, type Disk, placesOf } from "../../workspace/file-states.ts";
import { parkedPath } from "../../workspace/plan-parking.ts";
import { seatsOf } from "../../workspace/seats.ts";
import { besideOf, type FileChange, PARKING, type Step } from "../../workspace/step.ts";
import type { NamedEntry } from "../../workspace/toggled.ts";

export interface Removed {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  /** What was taken out of plugin arrays. */
  readonly entries: readonly NamedEntry[];
  /** Entries in configs that are not this place's to change, through which OpenCode loads it all the same. */
  readonly elsewhere: readonly NamedEntry[];
  /** Copied files that were deleted, below `.opencode`. */
  readonly deleted: readonly string[];
  readonly left: readonly LeftFile[];
}

export interface LeftFile {
  /** Below `.opencode`. */
  readonly path: string;
  /** It has local edits, other workflows have it as well, or it was there before. */
  readonly because: "modified" | "shared" | "adopted";
  readonly owners: readonly string[];
}

/** Takes workflows away: what Hugo added goes, what the user made of it stays. */
export function remove(desk: Desk, names: readonly string[]): Removed[] {
  const files = new Set([...names].flatMap((name) => desk.ownEntries(name).map(({ file }) => file)));
  for (const { delivery } of names.map((name) => desk.workflows.get(name)!)) {
    for (const remembered of (delivery.kind === "plugin" && delivery.disabled) || []) {
      const file = desk.configFile(remembered.file);
      if (file !== undefined) files.add(file);
    }
  }
  for (const file of files) closeRanks(desk, file, names);
  const removed = names.map((name) => removeOne(desk, name));
  // All at once, as the first removal moves the entries behind it.
  desk.arrays.take(names.flatMap((name) => (isPlugin(desk, name) ? desk.ownEntries(name) : [])));
  return removed;
}

function isPlugin({ snapshot }: Desk, name: string): boolean {
  return snapshot.lock.workflows.get(name)?.delivery.kind === "plugin";
}

function removeOne(desk: Desk, name: string): Removed {
  const workflow = desk.workflows.get(name)!;
  const { delivery } = workflow;
  const isCopy = delivery.kind === "copy";
  const steps = isCopy ? removeFiles(desk, name, delivery) : [];
  desk.workflows.delete(name);
  return {
    ...about(name, workflow),
    entries: isCopy ? [] : desk.named(desk.ownEntries(name)),
    elsewhere: isCopy ? [] : desk.named(desk.foreignEntries(name)),
    deleted: steps.flatMap((step) => (isBroughtBack(step) ? [] : step.changes.map(({ path }) => path))),
    left: steps.flatMap((step) => [
      ...leftFile(desk, name, delivery as CopyDelivery, step),
      ...leftBeside(desk, name, delivery as CopyDelivery, step),
    ]),
  };
}

function about(name: string, { package: packageName, version, delivery }: LockedWorkflow) {
  return { name, package: packageName, version, delivery: delivery.kind };
}

/** Of a disabled workflow the parked files go; they are its own, whoever else has the same. */
function removeFiles(desk: Desk, name: string, delivery: CopyDelivery): Step[] {
  const { parked, files } = delivery;
  const disk = desk.files.disk(placesOf(name, delivery));
  const steps = planCopy({
    recorded: files,
    next: new Map(),
    disk: bytesOf(parked ? unparked(name, disk) : disk),
    baseOf: () => undefined,
    othersOf: (destination) => (parked ? [] : desk.othersUsing(destination, name)),
    modified: "merge",
  });
  const done = parked ? steps.map((step) => broughtBack(name, inParking(name, step), disk)) : steps;
  desk.files.change(done.flatMap(({ changes }) => changes));
  return done;
}

function leftFile(desk: Desk, name: string, { parked }: CopyDelivery, step: Step): LeftFile[] {
  const { destination, verdict, because } = step;
  if (verdict !== "left" || because === undefined || because === "unmanaged") return [];
  const path = parked && !isBroughtBack(step) ? parkedPath(name, destination) : destination;
  return [{ path, because, owners: because === "shared" ? desk.othersUsing(destination, name) : [] }];
}

/** A version that could not be merged, if somebody has edited it, and whatever else was parked with the file. */
function leftBeside(desk: Desk, name: string, { parked, files }: CopyDelivery, { destination }: Step): LeftFile[] {
  const file = files.get(destination);
  if (!parked && !(file?.kind === "installed" && file.pending !== undefined)) return [];
  const beside = besideOf(destination);
  const path = parked ? parkedPath(name, beside) : beside;
  return desk.files.disk([path]).has(path) ? [{ path, because: "modified", owners: [] }] : [];
}

/** The parked files as if they lay where they belong. */
function unparked(name: string, disk: Disk): Disk {
  const prefix = `${PARKING}/${name}/`;
  const inside = [...disk].filter(([path]) => path.startsWith(prefix));
  return new Map(inside.map(([path, file]) => [path.slice(prefix.length), file]));
}

function inParking(name: string, step: Step): Step {
  const move = (change: FileChange): FileChange => ({ ...change, path: parkedPath(name, change.path) });
  return { ...step, changes: step.changes.map(move) };
}

/** What was there before goes back to its place, unless something else has taken it. */
function broughtBack(name: string, step: Step, disk: Disk): Step {
  const { destination, because, changes } = step;
  const from = parkedPath(name, destination);
  const file = disk.get(from);
  if (because !== "adopted" || file === undefined || disk.has(destination)) return step;
  const back: FileChange = { kind: "write", path: destination, ...file };
  return { ...step, changes: [back, { kind: "delete", path: from }, ...changes] };
}

function isBroughtBack({ changes }: Step): boolean {
  return changes.some(({ kind }) => kind === "write");
}

function bytesOf(disk: Disk): Map<string, Uint8Array> {
  return new Map([...disk].map(([path, { bytes }]) => [path, bytes]));
}

/** Disabled plugins that had their seat behind a removed one move up. */
function closeRanks(desk: Desk, file: string, names: readonly string[]): void {
  const gone = new Set(names.flatMap((name) => desk.ownEntries(name)).filter((entry) => entry.file === file));
  const freed = new Set([...gone].map(({ index }) => index));
  const seats = seatsOf(desk.arrays.entriesIn(file), desk.absentFrom(file)).filter((seat) =>
    "entry" in seat ? !freed.has(seat.entry.index) : !names.includes(seat.absent),
  );
  const indexes = new Map<string, number[]>();
  for (const [index, seat] of seats.entries()) {
    if ("absent" in seat) indexes.set(seat.absent, [...(indexes.get(seat.absent) ?? []), index]);
  }
  for (const [name, own] of indexes) reseat(desk, file, name, own);
}

/** @param indexes Where its entries in the file have their seats now, in order. */
function reseat(desk: Desk, file: string, name: string, indexes: readonly number[]): void {
  const workflow = desk.workflows.get(name)!;
  if (workflow.delivery.kind !== "plugin" || workflow.delivery.disabled === undefined) return;
  const inFile = workflow.delivery.disabled.filter((remembered) => desk.configFile(remembered.file) === file);
  const inOrder = inFile.toSorted((a, b) => a.index - b.index);
  if (inOrder.every(({ index }, at) => index === indexes[at])) return;
  const disabled = workflow.delivery.disabled.map((remembered) => {
    const at = inOrder.indexOf(remembered);
    return at < 0 ? remembered : { ...remembered, index: indexes[at] ?? remembered.index };
  });
  desk.workflows.set(name, { ...workflow, delivery: { kind: "plugin", disabled } });
}
