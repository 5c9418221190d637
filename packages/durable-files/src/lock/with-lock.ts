import * as fs from "node:fs";
import { dirname } from "node:path";
import { DurableError } from "../errors.ts";
import { explain } from "../files/errno.ts";
import type { TransactionResult } from "../transaction/result.ts";
import { type Lock, type LockOptions, lock, refuseUnlessFolderName } from "./lock.ts";

/**
 * Runs `body` under the lock of `dir`: one taken for the occasion, or one that the caller holds already.
 * `completed` says what is done once `body` has returned, for the case that only giving back the lock fails.
 */
export async function withLock<T>(
  dir: string,
  options: LockOptions & { lock?: Lock },
  body: (held: Lock) => T,
  completed: (result: T) => Partial<TransactionResult>,
): Promise<T> {
  refuseUnlessFolderName(dir);
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
  try {
    held.release();
  } catch (error) {
    throw notReleased(error, completed(result));
  }
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

/** The real path of a state folder. */
export function realDir(dir: string): string {
  try {
    return fs.realpathSync.native(dir);
  } catch (error) {
    throw explain(error, `The state folder ${dir} cannot be found`, "Check its name; a lock of it creates it.", dir);
  }
}

function notReleased(error: unknown, completed: Partial<TransactionResult>): unknown {
  if (!(error instanceof DurableError)) return error;
  const { message, at, hint } = error;
  return new DurableError(error.code, {
    message: `${summary(completed)} ${message}`,
    at,
    hint,
    completed,
    cause: error,
  });
}

function summary({ files = [], recovered }: Partial<TransactionResult>): string {
  const count = files.filter(({ did }) => did !== "nothing").length;
  const change = count > 0 ? `The change was made completely (${count} file${count === 1 ? "" : "s"}).` : "";
  return [recovered?.message ?? "", change].filter(Boolean).join(" ") || "There was nothing to change.";
}

function requireLockOf(dir: string, held: Lock): void {
  held.assertHeld();
  if (realDir(dirname(held.folder)) === realDir(dir)) return;
  throw new DurableError("unsafe-path", {
    message: `The lock ${held.folder} does not protect ${dir}`,
    at: dir,
    hint: "Pass the lock of the same folder, or none.",
  });
}
