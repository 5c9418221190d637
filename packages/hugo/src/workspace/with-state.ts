import { rmSync } from "node:fs";
import { DurableError } from "@atomic/durable-files/errors";
import type { Hash } from "@atomic/durable-files/files/hash";
import { type PinnedFolder, pinFolder } from "@atomic/durable-files/files/pinned";
import { type FolderLock as Held, type LockOptions, lock } from "@atomic/durable-files/lock/lock";
import { recover } from "@atomic/durable-files/transaction/recover";
import { type Lock, storeEntry } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { portablePath, type WorkspacePlace } from "./place.ts";
import { readLock } from "./read-lock.ts";
import { boundaryOf } from "./safe-place.ts";
import { SeenFiles, textIn } from "./seen-files.ts";
import { BaseStore } from "./store/bases.ts";
import { errnoOf } from "./store/disk.ts";
import { generationNumbers, readGeneration } from "./store/generation.ts";
import {
  announce,
  isUnfinished,
  prepareStateFolder,
  removeIfWorthless,
  removeLeftovers,
} from "./store/state-folder.ts";
import { PackageStore } from "./store/store.ts";

export interface OpenState {
  readonly held: Held;
  /** The state folder, opened once: what is done below this path happens there, even if it is replaced with a link. */
  readonly folder: string;
  /** Grows while the command runs. */
  readonly notices: string[];
}

export interface LockWaitOptions {
  /** How long to wait for another Hugo, in milliseconds. */
  readonly deadlineMs?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a command alone in its place, on a state without leftovers, and leaves none. */
export async function withState<T>(
  place: WorkspacePlace,
  options: LockOptions,
  act: (state: OpenState) => Promise<T>,
): Promise<T> {
  const { held, state } = await takeLock(place, options);
  let result: T;
  try {
    prepareStateFolder(state.path);
    const notices: string[] = [];
    const recovered = await recover(state.path, { lock: held });
    if (recovered !== undefined) notices.push(recovered.message);
    result = await act({ held, folder: state.path, notices });
  } catch (error) {
    leave(place, held, state);
    throw state.naming(error);
  }
  leave(place, held, state);
  return result;
}

async function takeLock(
  place: WorkspacePlace,
  options: LockOptions,
): Promise<{ readonly held: Held; readonly state: PinnedFolder }> {
  for (let tries = 1; ; tries++) {
    let state: PinnedFolder | undefined;
    try {
      state = pinFolder(place.stateFolder, boundaryOf(place));
      const mark = announce(state);
      try {
        return { held: await lock(state.path, options), state };
      } finally {
        rmSync(mark, { force: true });
      }
    } catch (error) {
      state?.naming(error);
      state?.close();
      // Another command may be removing the folder at this moment, see `removeIfWorthless`.
      const isGone = errnoOf(error instanceof DurableError ? error.cause : error) === "ENOENT";
      if (!isGone || tries === 100) throw error;
    }
  }
}

/** Ends the command, whether it worked or not. What cannot be cleaned up now is left to the next one. */
function leave(place: WorkspacePlace, held: Held, state: PinnedFolder): void {
  const { path: stateFolder } = state;
  const { lockFile } = place;
  const isOfTheDisk = (error: unknown): boolean => error instanceof DurableError || errnoOf(error) !== undefined;
  try {
    held.assertHeld();
    removeLeftovers(stateFolder);
    if (!isUnfinished(stateFolder)) {
      const text = textIn(new SeenFiles(), lockFile, "lock-invalid");
      let lock: Lock | undefined;
      try {
        lock = readLock(text, lockFile);
      } catch (error) {
        // It is unclear what the lock names, so everything stays.
        if (!(error instanceof HugoError)) throw error;
      }
      if (lock !== undefined) tidyStore(place, lock, stateFolder);
      removeIfWorthless(state);
    }
  } catch (error) {
    if (!isOfTheDisk(error) && !(error instanceof HugoError)) throw error;
  }
  try {
    held.release();
    state.close();
  } catch (error) {
    // The lock becomes free with the next attempt, through the folder that stays open, or when this process ends.
    if (!isOfTheDisk(error)) throw error;
  }
}

/** Removes packages and bases that neither the lock nor `hugo undo` needs. */
function tidyStore(place: WorkspacePlace, now: Lock, stateFolder: string): void {
  const bases = new BaseStore(stateFolder);
  const keptEntries = new Set<string>();
  const keptBases = new Set<Hash>();
  const keepFor = ({ workflows }: Lock): void => {
    for (const [name, { tree, dependencies, delivery }] of workflows) {
      if (tree !== undefined) keptEntries.add(storeEntry(name, tree, dependencies));
      if (delivery.kind !== "copy") continue;
      for (const file of delivery.files.values()) {
        if (file.kind !== "installed") continue;
        keptBases.add(file.base);
        if (file.pending !== undefined) keptBases.add(file.pending);
      }
    }
  };
  keepFor(now);
  for (const number of generationNumbers(stateFolder)) {
    for (const { path, before } of readGeneration(stateFolder, number)?.files ?? []) {
      if (before === undefined) continue;
      keptBases.add(before.hash);
      if (path !== portablePath(place, place.lockFile)) continue;
      const text = bases.get(before.hash);
      if (text !== undefined) keepFor(readLock(Buffer.from(text).toString("utf8"), place.lockFile));
    }
  }
  new PackageStore(stateFolder).keepOnly(keptEntries);
  bases.keepOnly(keptBases);
}
