import * as fs from "node:fs";
import { dirname } from "node:path";
import { DurableError } from "../errors.ts";
import { type Lock, type LockOptions, lock } from "./lock.ts";

/** Runs `body` under the lock of `dir`: one taken for the occasion, or one that the caller holds already. */
export async function withLock<T>(
  dir: string,
  options: LockOptions & { lock?: Lock },
  body: (held: Lock) => T,
): Promise<T> {
  if (options.lock !== undefined) {
    requireLockOf(dir, options.lock);
    return body(options.lock);
  }
  const held = await lock(dir, options);
  let result: T;
  try {
    result = body(held);
  } catch (error) {
    releaseAfterFailure(held);
    throw error;
  }
  held.release();
  return result;
}

/** Gives a lock back on the way out of something that failed already. */
export function releaseAfterFailure(held: Lock): void {
  try {
    held.release();
  } catch (error) {
    // The first failure is the one to tell. The lock becomes free with the next attempt or with the end of this process.
    if (!(error instanceof DurableError && error.code === "io")) throw error;
  }
}

function requireLockOf(dir: string, held: Lock): void {
  held.assertHeld();
  if (fs.realpathSync.native(dirname(held.folder)) === fs.realpathSync.native(dir)) return;
  throw new Error(`The lock ${held.folder} does not protect ${dir}`);
}
