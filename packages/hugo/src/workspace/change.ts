import { applyChanges } from "./apply-changes.ts";
import { withExplainedErrors } from "./explained-errors.ts";
import type { Place } from "./place.ts";
import { readSnapshot, SnapshotOnDisk } from "./read-snapshot.ts";
import { refuseUnsafePlace } from "./safe-place.ts";
import type { ChangeSet, Snapshot, Workspace } from "./snapshot.ts";
import { PackageStore } from "./store/packages.ts";
import { RehearsalStore } from "./store/rehearsal-store.ts";
import type { Store } from "./store/store.ts";
import { type WaitOptions, withState } from "./with-state.ts";

/** What a command makes of what it found. Without changes nothing is written. */
export type Decide<T> = (
  workspace: Workspace,
) => Promise<{ readonly changes?: ChangeSet | undefined; readonly result: T }>;

/**
 * One command, one change: alone in its place, on a state that is whole, all of it or nothing.
 *
 * @param purpose Shown to another Hugo that has to wait: `hugo remove review`.
 * @example
 * await change(place, "hugo remove review", async (workspace) => ({ changes: withoutReview(workspace), result: "removed" }));
 */
export async function change<T>(
  place: Place,
  purpose: string,
  decide: Decide<T>,
  options: WaitOptions = {},
): Promise<T> {
  return await withExplainedErrors(async () => {
    refuseUnsafePlace(place);
    return await withState(place, { purpose, ...options }, async (state) => {
      const snapshot = new SnapshotOnDisk(place, "now", state.notices);
      const { changes, result } = await decide(withStore(snapshot, new PackageStore(place.stateFolder)));
      if (changes !== undefined) await applyChanges(snapshot, changes, state);
      return result;
    });
  });
}

/** The same for `--dry-run`: decides, and writes nothing into the place. */
export async function rehearse<T>(place: Place, decide: Decide<T>): Promise<T> {
  const snapshot = await readSnapshot(place);
  return await withExplainedErrors(async () => {
    const store = new RehearsalStore(place.stateFolder);
    try {
      return (await decide(withStore(snapshot, store))).result;
    } finally {
      store.end();
    }
  });
}

function withStore(snapshot: Snapshot, store: Store): Workspace {
  const { place, lock, configs, plugins, notices } = snapshot;
  return {
    place,
    lock,
    configs,
    plugins,
    notices,
    store,
    entriesOf: (name) => snapshot.entriesOf(name),
    isEnabled: (name) => snapshot.isEnabled(name),
    disk: (paths) => snapshot.disk(paths),
    baseOf: (hash) => snapshot.baseOf(hash),
    storedTree: (name) => snapshot.storedTree(name),
  };
}
