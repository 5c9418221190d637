// The only place from which Hugo changes a user's file.
import { statSync } from "node:fs";
import { posix } from "node:path";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { printLock } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";
import { countChange } from "./changes-made.ts";
import { CHECK_FILE } from "./check-file.ts";
import { COPIED, olderBases } from "./copied-files.ts";
import { withExplainedErrors } from "./explained-errors.ts";
import { portablePath, type WorkspacePlace } from "./place.ts";
import { boundaryOf, insideFolder, refuseUnsafeConfig, refuseUnsafePlace, refuseUnwritable } from "./safe-place.ts";
import { type ChangeSet, readSnapshot, SnapshotOnDisk, type Workspace } from "./snapshot.ts";
import { BaseStore } from "./store/bases.ts";
import { unlessMissing } from "./store/disk.ts";
import { generationNumbers, generationPath, KEPT_GENERATIONS, printGeneration } from "./store/generation.ts";
import { PackageStore, PendingStore } from "./store/store.ts";
import { type LockWaitOptions, type OpenState, withState } from "./with-state.ts";

/** What a command decides about what it found. Without changes, nothing is written. */
export type Decide<T> = (
  workspace: Workspace,
) => Promise<{ readonly changes?: ChangeSet | undefined; readonly result: T }>;

/**
 * One command, one change: alone in its place, on a complete state, all or nothing.
 *
 * @param purpose Shown to another Hugo that has to wait: `hugo remove review`.
 * @example
 * await change(place, "hugo remove review", async (workspace) => ({ changes: withoutReview(workspace), result: "removed" }));
 */
export async function change<T>(
  place: WorkspacePlace,
  purpose: string,
  decide: Decide<T>,
  options: LockWaitOptions = {},
): Promise<T> {
  return await withExplainedErrors(async () => {
    refuseUnsafePlace(place);
    refuseUnwritable(place);
    return await withState(place, { purpose, ...options }, async (state) => {
      const snapshot = new SnapshotOnDisk(place, "now", state.notices);
      const store = new PackageStore(place.stateFolder, state.folder);
      const { changes, result } = await decide(Object.assign(snapshot, { store, once: memory() }));
      if (changes !== undefined) await write(snapshot, changes, state);
      return result;
    });
  });
}

const MOST_TRIES = 20;

/**
 * The same for commands that fetch packages and ask the user. They hold the lock only at the end, so no other command
 * waits for a registry or an answer. If the place has changed by then, `decide` runs again on what is there now.
 */
export async function fetchThenChange<T>(
  place: WorkspacePlace,
  purpose: string,
  decide: Decide<T>,
  options: LockWaitOptions = {},
): Promise<T> {
  return await withExplainedErrors(async () => {
    refuseUnwritable(place);
    const store = new PendingStore(place.stateFolder);
    const once = memory();
    const recovered: string[] = [];
    try {
      for (let tries = 1; ; tries++) {
        const notices = [...recovered];
        const snapshot = await readSnapshot(place, "now", notices);
        store.forget();
        const { changes, result } = await decide(Object.assign(snapshot, { store, once }));
        refuseUnsafePlace(place);
        const isDone = await withState(place, { purpose, ...options }, async (state) => {
          recovered.push(...state.notices);
          if (tries < MOST_TRIES && snapshot.reads.changed().length > 0) return false;
          refuseUnsafePlace(place);
          await store.settle(state.folder);
          if (changes !== undefined) await write(snapshot, changes, { ...state, notices });
          return true;
        });
        if (isDone) return result;
      }
    } finally {
      store.end();
    }
  });
}

/** The same for `--dry-run`: decides but writes nothing into the place. */
export async function previewChange<T>(place: WorkspacePlace, decide: Decide<T>): Promise<T> {
  const snapshot = await readSnapshot(place);
  return await withExplainedErrors(async () => {
    const store = new PendingStore(place.stateFolder);
    try {
      return (await decide(Object.assign(snapshot, { store, once: memory() }))).result;
    } finally {
      store.end();
    }
  });
}

function memory(): Workspace["once"] {
  const known = new Map<string, Promise<unknown>>();
  return async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const before = known.get(what) as Promise<T> | undefined;
    const now = before ?? act();
    known.set(what, now);
    return await now;
  };
}

async function write(snapshot: SnapshotOnDisk, changes: ChangeSet, state: OpenState): Promise<void> {
  const wanted = wantedFiles(snapshot, changes);
  const bases = (changes.bases ?? []).map(({ bytes }) => bytes);
  await new BaseStore(state.folder).put([...bases, ...basesOfMigrated(snapshot)]);
  await commit(snapshot, changes.title, wanted, state);
}

/** What a file should contain; undefined: no file. */
type Wanted =
  | {
      readonly bytes: Uint8Array;
      /** Missing if it does not matter; the other permission bits stay. */
      readonly executable?: boolean;
      /** All permission bits, instead. */
      readonly mode?: number | undefined;
    }
  | undefined;

/** By absolute path. Refuses what Hugo must not touch. */
function wantedFiles(snapshot: SnapshotOnDisk, changes: ChangeSet): Map<string, Wanted> {
  const { place, reads, configs, migrated } = snapshot;
  const wanted = new Map<string, Wanted>();
  for (const [path, text] of new Map([...migrated.configs, ...(changes.configs ?? [])])) {
    if (!configs.some(({ file }) => file === path))
      throw new Error(`${path} is not one of this project's config files`);
    refuseUnsafeConfig(place, path);
    wanted.set(path, text === undefined ? undefined : { bytes: Buffer.from(text) });
  }
  for (const file of changes.files ?? []) {
    if (!COPIED.test(file.path) && file.path !== CHECK_FILE)
      throw new Error(`${file.path} is not a path for a copied file`);
    const path = insideFolder(place, file.path);
    // A plan that depends on a file has read it; one that has not must not destroy anything.
    if (!reads.has(path) && reads.file(path) !== undefined)
      throw inTheWay(place, file.path, "Hugo did not expect anything there");
    if (file.kind === "write") {
      for (let folder = posix.dirname(file.path); folder !== "."; folder = posix.dirname(folder)) {
        const stat = unlessMissing(() => statSync(joinInside(place.folder, folder), { throwIfNoEntry: false }));
        if (stat !== undefined && !stat.isDirectory()) throw inTheWay(place, folder, "it is not a folder");
      }
    }
    wanted.set(path, file.kind === "delete" ? undefined : file);
  }
  for (const path of migrated.obsolete) wanted.set(path, undefined);
  const { lock } = changes;
  const older = olderBases(lock);
  const known = new Map((changes.bases ?? []).map(({ hash, bytes }) => [hash, bytes]));
  for (const [path, hash] of older) {
    const bytes = known.get(hash) ?? snapshot.baseOf(hash);
    if (bytes !== undefined) wanted.set(joinInside(place.folder, path), { bytes });
  }
  for (const path of olderBases(snapshot.lock).keys()) {
    const at = joinInside(place.folder, path);
    if (!older.has(path) && reads.file(at) !== undefined) wanted.set(at, undefined);
  }
  const isEmpty = lock.workflows.size === 0 && lock.configs.size === 0;
  wanted.set(place.lockFile, isEmpty ? undefined : { bytes: Buffer.from(printLock(lock)) });
  return wanted;
}

function inTheWay({ folder }: WorkspacePlace, path: string, problem: string): HugoError {
  return new HugoError("file-taken", {
    message: `${folder}/${path} is in the way: ${problem}`,
    at: `${folder}/${path}`,
    hint: "Move it somewhere else, then run the command again. Nothing was changed.",
  });
}

/** The old state had no bases. Files that are still unedited have the content. */
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

/** Writes everything in one transaction, with a generation for undo, or nothing. Files that are as wanted stay untouched. */
async function commit(
  { place, reads }: SnapshotOnDisk,
  title: string,
  wanted: ReadonlyMap<string, Wanted>,
  { held, folder: opened, notices }: OpenState,
): Promise<void> {
  const compared = [...wanted].map(([path, file]) => {
    const before = reads.file(path);
    if (file === undefined) return { path, before, after: undefined };
    const { bytes, executable, mode = modeFor(before?.mode, executable) } = file;
    return { path, before, after: { bytes, hash: hashOf(bytes), mode } };
  });
  const updates = compared.filter(
    ({ before, after }) => before?.hash !== after?.hash || (after?.mode !== undefined && after.mode !== before?.mode),
  );
  if (updates.length === 0) return;
  const { stateFolder } = place;
  await new BaseStore(opened).put(updates.flatMap(({ before }) => before?.bytes ?? []));
  const numbers = generationNumbers(stateFolder);
  const files = updates.map(({ path, before, after }) => ({
    path: portablePath(place, path),
    ...(before !== undefined && { before: { hash: before.hash, mode: before.mode } }),
    ...(after !== undefined && { after: after.hash }),
  }));
  const outdated = numbers.slice(0, Math.max(0, numbers.length + 1 - KEPT_GENERATIONS));
  // The transaction does not cover what was only read, but the decision depends on it.
  const changed = reads.changed((path) => !wanted.has(path));
  if (changed[0] !== undefined) {
    throw new HugoError("changed-meanwhile", {
      message: `${changed.join(", ")} changed while Hugo was working; nothing was written`,
      at: changed[0],
      hint: "Run the command again; it will use the files' current content.",
    });
  }
  const { keptFolders = [] } = await transaction(
    stateFolder,
    [
      ...updates.map(({ path, before, after }) => {
        const expect = before?.hash ?? ("absent" as const);
        if (after === undefined) return { path, delete: true as const, expect };
        return { path, content: after.bytes, expect, ...(after.mode !== undefined && { mode: after.mode }) };
      }),
      {
        path: generationPath(stateFolder, (numbers.at(-1) ?? 0) + 1),
        content: printGeneration({ title, files }),
        expect: "absent" as const,
      },
      ...outdated.map((number) => ({ path: generationPath(stateFolder, number), delete: true as const })),
    ],
    { lock: held, pruneEmptyUpTo: place.folder, within: boundaryOf(place) },
  );
  countChange();
  for (const folder of keptFolders) notices.push(`The empty folder ${folder} could not be removed, so it was kept.`);
}

/** Undefined leaves it as it is, or to the umask. Only users who may read the file may run it. */
function modeFor(before: number | undefined, executable: boolean | undefined): number | undefined {
  if (executable === undefined) return undefined;
  if (before === undefined) return executable ? 0o777 & ~process.umask() : undefined;
  const isExecutable = (before & 0o111) !== 0;
  if (isExecutable === executable) return before;
  return executable ? before | ((before & 0o444) >> 2) : before & ~0o111;
}
