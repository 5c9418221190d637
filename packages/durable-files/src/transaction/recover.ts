import * as fs from "node:fs";
import { DurableError } from "../errors.ts";
import { errnoOf, explain } from "../files/errno.ts";
import { fsyncFolder, removeFile } from "../files/folder.ts";
import { type FolderLock, type LockOptions, realDir, refuseUnlessFolderName, withLock } from "../lock/lock.ts";
import { resume } from "./apply.ts";
import { findRecord, phases, recordPath } from "./record.ts";
import { describeRecovery, type TransactionRecovery } from "./result.ts";
import { isThere } from "./state-of.ts";

export type { TransactionRecovery as Recovery } from "./result.ts";

/**
 * Finishes or undoes a transaction that was interrupted, and says which. Undefined if there was none; then nothing is written at all.
 * `transaction()` does this by itself; call it before *reading* files that belong together.
 */
export async function recover(
  stateDir: string,
  options: LockOptions & { lock?: FolderLock } = {},
): Promise<TransactionRecovery | undefined> {
  refuseUnlessFolderName(stateDir);
  const names = [...phases, "tmp"] as const;
  if (!names.some((phase) => fs.existsSync(recordPath(stateDir, phase)))) return undefined;
  return await withLock(
    stateDir,
    options,
    (held) => recoverUnder(held, realDir(stateDir)),
    (recovered) => (recovered === undefined ? {} : { recovered }),
  );
}

/** The same for a caller that already holds the lock of `stateDir`, a real path. */
export function recoverUnder(held: FolderLock, stateDir: string): TransactionRecovery | undefined {
  held.assertHeld();
  let found: ReturnType<typeof findRecord>;
  try {
    // Torn by a crash before anything had been done for it.
    if (isThere(recordPath(stateDir, "tmp"))) removeFile(recordPath(stateDir, "tmp"));
    found = findRecord(stateDir);
  } catch (error) {
    const hint = "Repair what the message names, then run the command again.";
    throw explain(error, `The transaction record in ${stateDir} cannot be read`, hint, stateDir);
  }
  if (found === undefined) return undefined;
  const { phase, record } = found;
  try {
    // What the record's name says has to be on disk before anything is done because of it.
    fsyncFolder(stateDir);
    const files = record.entries.map(({ target }) => target);
    return describeRecovery(files, resume(stateDir, phase, record));
  } catch (error) {
    throw unfinished(error, stateDir);
  }
}

/** What a failed file-system call means once there is a record that has to be dealt with. */
export function unfinished(error: unknown, stateDir: string): unknown {
  if (errnoOf(error) === undefined && !(error instanceof DurableError)) return error;
  const what = "A change of several files was interrupted and will be finished or undone by the next call";
  return new DurableError("unfinished", {
    message: `${what}: ${(error as Error).message}`,
    at: stateDir,
    hint: "Free some disk space or repair the file system, then run the command again.",
    cause: error,
  });
}
