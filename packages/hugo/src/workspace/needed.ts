import { type Lock, storeEntry } from "@atomic/workflows/internal/hugo-lock/lock";
import { portablePath, type WorkspacePlace } from "./place.ts";
import { readLock } from "./read-lock.ts";
import { BaseStore, basePath } from "./store/bases.ts";
import { generationNumbers, readGeneration } from "./store/generation.ts";

/** The packages and bases that a lock names, below the state folder. */
export function neededBy({ workflows }: Lock): { readonly packages: Set<string>; readonly bases: Set<string> } {
  const [packages, bases] = [new Set<string>(), new Set<string>()];
  for (const [name, { tree, dependencies, delivery }] of workflows) {
    if (tree !== undefined) packages.add(`store/${storeEntry(name, tree, dependencies)}`);
    if (delivery.kind !== "copy") continue;
    for (const file of delivery.files.values()) {
      if (file.kind !== "installed") continue;
      bases.add(basePath(file.base));
      if (file.pending !== undefined) bases.add(basePath(file.pending));
    }
  }
  return { packages, bases };
}

/** The same for `hugo undo`: what it restores, and what the lock that it restores names. */
export function neededByUndo(place: WorkspacePlace, stateFolder: string): ReturnType<typeof neededBy> {
  const [packages, bases] = [new Set<string>(), new Set<string>()];
  for (const number of generationNumbers(stateFolder)) {
    for (const { path, before } of readGeneration(stateFolder, number)?.files ?? []) {
      if (before === undefined) continue;
      bases.add(basePath(before.hash));
      if (path !== portablePath(place, place.lockFile)) continue;
      const text = new BaseStore(stateFolder).get(before.hash);
      if (text === undefined) continue;
      const earlier = neededBy(readLock(Buffer.from(text).toString("utf8"), place.lockFile));
      for (const each of earlier.packages) packages.add(each);
      for (const each of earlier.bases) bases.add(each);
    }
  }
  return { packages, bases };
}
