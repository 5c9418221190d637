import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { withExplainedErrors } from "./explained-errors.ts";
import { neededBy, neededByUndo } from "./needed.ts";
import type { WorkspacePlace } from "./place.ts";
import { refuseUnsafePlace } from "./safe-place.ts";
import { readSnapshot } from "./snapshot.ts";
import { namesIn, unlessMissing } from "./store/disk.ts";
import { discard, storedPaths } from "./store/state-folder.ts";
import { type LockWaitOptions, withState } from "./with-state.ts";

/** A package in the store that hugo.json does not name. */
export interface UnneededPackage {
  /** Its folder in the store. */
  readonly name: string;
  readonly bytes: number;
}

/** Old contents of files. */
export interface UnneededContents {
  readonly count: number;
  readonly bytes: number;
}

export interface PrunedStore {
  readonly packages: readonly UnneededPackage[];
  readonly contents: UnneededContents;
  readonly notices: readonly string[];
}

/**
 * Deletes packages that hugo.json does not name, and contents that neither it nor `hugo undo` needs. Undo still restores
 * every file; a package that it or another branch brings back is fetched again by `hugo ci`.
 */
export async function pruneStore(
  place: WorkspacePlace,
  { dryRun, signal }: { readonly dryRun: boolean } & LockWaitOptions,
): Promise<PrunedStore> {
  const { stateFolder } = place;
  const find = async (): Promise<PrunedStore & { readonly paths: readonly string[] }> => {
    const { lock, notices } = await readSnapshot(place);
    const { packages, bases } = neededBy(lock);
    const needed = new Set([...packages, ...bases, ...neededByUndo(place, stateFolder).bases]);
    const paths = storedPaths(stateFolder).filter((path) => !needed.has(path));
    const found = paths.map((path) => ({ path, bytes: sizeOf(join(stateFolder, path)) }));
    const contents = found.filter(({ path }) => path.startsWith("bases/"));
    return {
      paths,
      packages: found
        .filter(({ path }) => path.startsWith("store/"))
        .map(({ path, bytes }) => ({ name: basename(path), bytes })),
      contents: { count: contents.length, bytes: contents.reduce((sum, { bytes }) => sum + bytes, 0) },
      notices,
    };
  };
  return await withExplainedErrors(async () => {
    const found = await find();
    // Without anything to delete, not even the lock's folder appears.
    if (dryRun || found.paths.length === 0) return found;
    refuseUnsafePlace(place);
    return await withState(place, { purpose: "hugo prune", signal }, async ({ notices, folder }) => {
      const again = await find();
      for (const path of again.paths) discard(folder, path);
      return { ...again, notices };
    });
  });
}

/** The bytes of all files below; links count, but are not followed. */
export function sizeOf(path: string): number {
  const stats = unlessMissing(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
