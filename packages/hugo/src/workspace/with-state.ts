import { rmSync } from "node:fs";
import { DurableError } from "@atomic/durable-files/errors";
import { type FolderLock as Held, type LockOptions, lock } from "@atomic/durable-files/lock/lock";
import { recover } from "@atomic/durable-files/transaction/recover";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { readLock } from "./lock-file/read-lock.ts";
import type { Place } from "./place.ts";
import { textIn } from "./read-text.ts";
import { Reads } from "./reads.ts";
import { isUnfinished } from "./recover-if-needed.ts";
import { errnoOf } from "./store/remove-tree.ts";
import { announce, prepareStateFolder, removeIfWorthless, removeLeftovers } from "./store/state-folder.ts";
import { tidyStore } from "./store/tidy.ts";

/** What a command that changes something starts with. */
export interface OpenState {
  readonly held: Held;
  /** Grows while the command runs. */
  readonly notices: string[];
}

export interface WaitOptions {
  /** How long to wait for another Hugo, in milliseconds. */
  readonly deadlineMs?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a command alone in its place, on a state without leftovers, and leaves none. */
export async function withState<T>(
  place: Place,
  options: LockOptions,
  act: (state: OpenState) => Promise<T>,
): Promise<T> {
  const { stateFolder } = place;
  const held = await takeLock(stateFolder, options);
  let result: T;
  try {
    prepareStateFolder(stateFolder);
    const notices: string[] = [];
    const recovered = await recover(stateFolder, { lock: held });
    if (recovered !== undefined) notices.push(recovered.message);
    result = await act({ held, notices });
  } catch (error) {
    leave(place, held);
    throw error;
  }
  leave(place, held);
  return result;
}

/** Another command may be removing the folder at this moment, see `removeIfWorthless`. */
async function takeLock(stateFolder: string, options: LockOptions): Promise<Held> {
  for (let tries = 1; ; tries++) {
    try {
      return await announced(stateFolder, () => lock(stateFolder, options));
    } catch (error) {
      const isGone = errnoOf(error instanceof DurableError ? error.cause : error) === "ENOENT";
      if (!isGone || tries === 100) throw error;
    }
  }
}

async function announced<T>(stateFolder: string, act: () => Promise<T>): Promise<T> {
  const mark = announce(stateFolder);
  try {
    return await act();
  } finally {
    rmSync(mark, { force: true });
  }
}

/** The command is over, well or not. What cannot be tidied now is left to the next one. */
function leave(place: Place, held: Held): void {
  try {
    held.assertHeld();
    tidyUp(place);
  } catch (error) {
    if (!isOfTheDisk(error) && !(error instanceof HugoError)) throw error;
  }
  try {
    held.release();
  } catch (error) {
    // It becomes free with the next attempt or with the end of this process.
    if (!isOfTheDisk(error)) throw error;
  }
}

function tidyUp(place: Place): void {
  removeLeftovers(place.stateFolder);
  if (isUnfinished(place.stateFolder)) return;
  const lock = readableLock(place);
  if (lock !== undefined) tidyStore(place, lock);
  removeIfWorthless(place.stateFolder);
}

/** Undefined if nobody can say what it names. */
function readableLock({ lockFile }: Place): Lock | undefined {
  const text = textIn(new Reads(), lockFile, "lock-invalid");
  try {
    return readLock(text, lockFile);
  } catch (error) {
    if (error instanceof HugoError) return undefined;
    throw error;
  }
}

function isOfTheDisk(error: unknown): boolean {
  return error instanceof DurableError || errnoOf(error) !== undefined;
}
