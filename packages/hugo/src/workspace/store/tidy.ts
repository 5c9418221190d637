import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { readLock } from "../lock-file/read-lock.ts";
import type { Place } from "../place.ts";
import { portablePath } from "../place.ts";
import { Bases } from "./bases.ts";
import { type Generation, generationNumbers, readGeneration } from "./generation.ts";
import { entryName, PackageStore } from "./packages.ts";

/** Removes all packages and bases that neither the lock nor `hugo undo` needs. */
export function tidyStore(place: Place, lock: Lock): void {
  const { stateFolder } = place;
  const bases = new Bases(stateFolder);
  const kept: Kept = { entries: new Set(), bases: new Set() };
  keepForLock(kept, lock);
  for (const number of generationNumbers(stateFolder)) {
    const generation = readGeneration(stateFolder, number);
    if (generation !== undefined) keepForUndo(kept, place, generation, bases);
  }
  new PackageStore(stateFolder).keepOnly(kept.entries);
  bases.keepOnly(kept.bases);
}

interface Kept {
  readonly entries: Set<string>;
  readonly bases: Set<Hash>;
}

function keepForLock(kept: Kept, lock: Lock): void {
  for (const [name, { tree, delivery }] of lock.workflows) {
    if (tree !== undefined) kept.entries.add(entryName(name, tree));
    if (delivery.kind !== "copy") continue;
    for (const file of delivery.files.values()) {
      if (file.kind !== "installed") continue;
      kept.bases.add(file.base);
      if (file.pending !== undefined) kept.bases.add(file.pending);
    }
  }
}

function keepForUndo(kept: Kept, place: Place, { files }: Generation, bases: Bases): void {
  for (const { path, before } of files) {
    if (before === undefined) continue;
    kept.bases.add(before.hash);
    if (path !== portablePath(place, place.lockFile)) continue;
    const text = bases.get(before.hash);
    if (text !== undefined) keepForLock(kept, readLock(Buffer.from(text).toString("utf8"), place.lockFile));
  }
}
