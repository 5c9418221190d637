import * as fs from "node:fs";
import { DurableError } from "../errors.ts";
import { errnoOf, explain } from "../files/errno.ts";
import { fsyncFolder, removeFile } from "../files/folder.ts";
import { type Lock, type LockOptions, refuseUnlessFolderName } from "../lock/lock.ts";
import { realDir, withLock } from "../lock/with-lock.ts";
import { dropIntent, finish, putBack, rollForward } from "./apply.ts";
import type { Ending } from "./ending.ts";
import { findRecord, type Phase, phases, recordPath, type TransactionRecord } from "./record.ts";
import { report } from "./report.ts";
import type { Recovery } from "./result.ts";
import { isThere } from "./state-of.ts";

export type { Recovery } from "./result.ts";

/**
 * Finishes or undoes a transaction that was interrupted, and says which. Undefined if there was none; then nothing is written at all.
 * `transaction()` does this by itself; call it before *reading* files that belong together.
 */
export async function recover(
  stateDir: string,
  options: LockOptions & { lock?: Lock } = {},
): Promise<Recovery | undefined> {
  refuseUnlessFolderName(stateDir);
  if (!hasRecord(stateDir)) return undefined;
  const body = (held: Lock): Recovery | undefined => recoverUnder(held, realDir(stateDir));
  return await withLock(stateDir, options, body, (recovered) => (recovered === undefined ? {} : { recovered }));
}

/** The same for a caller that already holds the lock of `stateDir`, a real path. */
export function recoverUnder(held: Lock, stateDir: string): Recovery | undefined {
  held.assertHeld();
  const found = findUnfinished(stateDir);
  if (found === undefined) return undefined;
  try {
    // What the record's name says has to be on disk before anything is done because of it.
    fsyncFolder(stateDir);
    return report(found.record, resume(stateDir, found.phase, found.record));
  } catch (error) {
    throw unfinished(error, stateDir);
  }
}

function findUnfinished(stateDir: string): ReturnType<typeof findRecord> {
  try {
    // Torn by a crash before anything had been done for it.
    if (isThere(recordPath(stateDir, "tmp"))) removeFile(recordPath(stateDir, "tmp"));
    return findRecord(stateDir);
  } catch (error) {
    const hint = "Repair what the message names, then run the command again.";
    throw explain(error, `The transaction record in ${stateDir} cannot be read`, hint, stateDir);
  }
}

/** What a failed file-system call means once there is a record that has to be dealt with. */
export function unfinished(error: unknown, stateDir: string): unknown {
  const what = "A change of several files was interrupted and will be finished or undone by the next call";
  const hint = "Free some disk space or repair the file system, then run the command again.";
  if (errnoOf(error) === undefined && !(error instanceof DurableError)) return error;
  const { message } = error as Error;
  return new DurableError("unfinished", { message: `${what}: ${message}`, at: stateDir, hint, cause: error });
}

function resume(stateDir: string, phase: Phase, record: TransactionRecord): Ending {
  switch (phase) {
    case "intent":
      return dropIntent(stateDir, record);
    case "undo":
      return putBack(stateDir, record);
    case "done":
      return finish(stateDir, record);
    case "commit":
      return rollForward(stateDir, record);
  }
}

function hasRecord(stateDir: string): boolean {
  return ([...phases, "tmp"] as const).some((phase) => fs.existsSync(recordPath(stateDir, phase)));
}
