// The only place from which Hugo changes a file of the user.
import { statSync } from "node:fs";
import { posix } from "node:path";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { type Lock, printLock } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";
import { commit, type Wanted } from "./commit.ts";
import { COPIED } from "./copied.ts";
import type { Place } from "./place.ts";
import type { SnapshotOnDisk } from "./read-snapshot.ts";
import { refuseUnsafeConfig } from "./safe-place.ts";
import type { ChangeSet } from "./snapshot.ts";
import type { FileChange } from "./step.ts";
import { Bases } from "./store/bases.ts";
import { unlessMissing } from "./store/unless-missing.ts";
import type { OpenState } from "./with-state.ts";

/** Makes all of a change set true, in one transaction that can be taken back, or nothing of it. */
export async function applyChanges(snapshot: SnapshotOnDisk, changes: ChangeSet, state: OpenState): Promise<void> {
  const { place, reads } = snapshot;
  const wanted = new Map<string, Wanted>([
    ...configChanges(snapshot, changes),
    ...fileChanges(snapshot, changes.files ?? []),
    ...snapshot.migrated.obsolete.map((path) => [path, undefined] as const),
    [place.lockFile, lockText(changes.lock)],
  ]);
  const bases = (changes.bases ?? []).map(({ bytes }) => bytes);
  new Bases(place.stateFolder).put([...bases, ...basesOfMigrated(snapshot)]);
  await commit({ place, reads, title: changes.title, wanted }, state);
}

function lockText(lock: Lock): Wanted {
  const isEmpty = lock.workflows.size === 0 && lock.configs.size === 0;
  return isEmpty ? undefined : { bytes: Buffer.from(printLock(lock)) };
}

function configChanges(
  { place, configs, migrated }: SnapshotOnDisk,
  changes: ChangeSet,
): [path: string, wanted: Wanted][] {
  const texts = new Map<string, string | undefined>([...migrated.configs, ...(changes.configs ?? [])]);
  const known = new Set(configs.map(({ file }) => file));
  return [...texts].map(([path, text]) => {
    if (!known.has(path)) throw new Error(`${path} is no config file of this place`);
    refuseUnsafeConfig(place, path);
    return [path, text === undefined ? undefined : { bytes: Buffer.from(text) }];
  });
}

function fileChanges({ place, reads }: SnapshotOnDisk, files: readonly FileChange[]): [string, Wanted][] {
  return files.map((change) => {
    if (!COPIED.test(change.path)) throw new Error(`${change.path} is no place for a copied file`);
    const path = joinInside(place.folder, change.path);
    // Whoever plans on what is there has looked at it. Who has not must not destroy anything.
    if (!reads.has(path) && reads.file(path) !== undefined) throw inTheWay(place, change.path);
    if (change.kind === "delete") return [path, undefined];
    refuseBelowFile(place, change.path);
    const { bytes, executable, mode } = change;
    return [path, { bytes, executable, ...(mode !== undefined && { mode }) }];
  });
}

function refuseBelowFile(place: Place, path: string): void {
  for (let folder = posix.dirname(path); folder !== "."; folder = posix.dirname(folder)) {
    const stat = unlessMissing(() => statSync(joinInside(place.folder, folder), { throwIfNoEntry: false }));
    if (stat !== undefined && !stat.isDirectory()) throw inTheWay(place, folder, "it is not a folder");
  }
}

/** The old state had no bases. Of files that nobody has edited since, the content is still there. */
function basesOfMigrated(snapshot: SnapshotOnDisk): Uint8Array[] {
  if (snapshot.migrated.obsolete.length === 0) return [];
  const copied = [...snapshot.lock.workflows.values()].flatMap(({ delivery }) =>
    delivery.kind === "copy" ? [...delivery.files] : [],
  );
  const disk = snapshot.disk(copied.map(([destination]) => destination));
  return copied.flatMap(([destination, file]) => {
    const bytes = disk.get(destination)?.bytes;
    return bytes !== undefined && file.kind === "installed" && hashOf(bytes) === file.base ? [bytes] : [];
  });
}

function inTheWay({ folder }: Place, path: string, problem = "nobody knew of it"): HugoError {
  return new HugoError("file-taken", {
    message: `${folder}/${path} is in the way: ${problem}`,
    at: `${folder}/${path}`,
    hint: "Move it to another place, then run the command again. Nothing was changed.",
  });
}
