import { lstatSync } from "node:fs";
import { join } from "node:path";
import { storeEntry } from "@atomic/workflows/internal/hugo-lock/lock";
import { removeTree } from "../sources/remove-tree.ts";
import { withExplainedErrors } from "./explained-errors.ts";
import type { WorkspacePlace } from "./place.ts";
import { refuseUnsafePlace } from "./safe-place.ts";
import { readSnapshot } from "./snapshot.ts";
import { namesIn, unlessMissing } from "./store/disk.ts";
import { type LockWaitOptions, withState } from "./with-state.ts";

/** A package in the store that hugo.json does not name. */
export interface UnneededPackage {
  /** Its folder in the store. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * Removes packages that only `hugo undo` could need. Its own records stay, so it still restores every file; a package
 * that it brings back is fetched again by `hugo ci`.
 */
export async function pruneStore(
  place: WorkspacePlace,
  { dryRun, signal }: { readonly dryRun: boolean } & LockWaitOptions,
): Promise<{ readonly packages: readonly UnneededPackage[]; readonly notices: readonly string[] }> {
  const find = async (): Promise<{ packages: UnneededPackage[]; notices: readonly string[] }> => {
    const { lock, notices } = await readSnapshot(place);
    const needed = new Set(
      [...lock.workflows].flatMap(([name, { tree, dependencies }]) =>
        tree === undefined ? [] : [storeEntry(name, tree, dependencies)],
      ),
    );
    const store = join(place.stateFolder, "store");
    const unneeded = namesIn(store).filter((name) => !needed.has(name));
    return { packages: unneeded.map((name) => ({ name, bytes: sizeOf(join(store, name)) })), notices };
  };
  const found = await find();
  // Without anything to remove, not even the lock's folder appears.
  if (dryRun || found.packages.length === 0) return found;
  return await withExplainedErrors(async () => {
    refuseUnsafePlace(place);
    return await withState(place, { purpose: "hugo prune", signal }, async ({ notices, folder }) => {
      const { packages } = await find();
      for (const { name } of packages) removeTree(join(folder, "store", name));
      return { packages, notices };
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
