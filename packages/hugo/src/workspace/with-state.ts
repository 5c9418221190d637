import { rmSync } from "node:fs";
import { DurableError } from "@atomic/durable-files/errors";
import { type PinnedFolder, pinFolder } from "@atomic/durable-files/files/pinned";
import { type FolderLock as Held, type LockOptions, lock } from "@atomic/durable-files/lock/lock";
import { recover } from "@atomic/durable-files/transaction/recover";
import { HugoError } from "../errors.ts";
import { neededBy, neededByUndo } from "./needed.ts";
import type { WorkspacePlace } from "./place.ts";
import { readLock } from "./read-lock.ts";
import { boundaryOf } from "./safe-place.ts";
import { SeenFiles, textIn } from "./seen-files.ts";
import { errnoOf } from "./store/disk.ts";
import {
  announce,
  discard,
  isUnfinished,
  prepareStateFolder,
  removeIfWorthless,
  removeLeftovers,
  storedPaths,
} from "./store/state-folder.ts";
import { endUnsettled, unsettledIn } from "./store/unsettled.ts";

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
  const isOfTheDisk = (error: unknown): boolean => error instanceof DurableError || errnoOf(error) !== undefined;
  try {
    held.assertHeld();
    removeLeftovers(stateFolder);
    if (!isUnfinished(stateFolder)) {
      settle(place, stateFolder);
      removeIfWorthless(state);
    }
  } catch (error) {
    // Without a readable hugo.json it is unclear what is needed, so everything stays.
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

/** Deletes what this command, or one that was killed, has listed and neither the lock nor `hugo undo` needs. */
function settle(place: WorkspacePlace, stateFolder: string): void {
  const unsettled = unsettledIn(stateFolder);
  if (unsettled === undefined) return;
  const needs = [
    neededBy(readLock(textIn(new SeenFiles(), place.lockFile, "lock-invalid"), place.lockFile)),
    neededByUndo(place, stateFolder),
  ];
  const needed = new Set(needs.flatMap(({ packages, bases }) => [...packages, ...bases]));
  for (const path of storedPaths(stateFolder)) {
    if (unsettled.has(path) && !needed.has(path)) discard(stateFolder, path);
  }
  endUnsettled(stateFolder);
}
