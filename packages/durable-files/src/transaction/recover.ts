import * as fs from "node:fs";
import { DurableError, printable } from "../errors.ts";
import { errnoOf, explain } from "../files/errno.ts";
import { fsyncFolder, removeFile } from "../files/folder.ts";
import { inItsFolder } from "../files/pinned.ts";
import { type FolderLock, type LockOptions, realDir, refuseUnlessFolderName, withLock } from "../lock/lock.ts";
import { because, remarks, type TransactionRecovery } from "../transaction-result.ts";
import { resume } from "./apply.ts";
import { findRecord, phases, recordPath } from "./record.ts";
import { isThere } from "./state-of.ts";

export type { TransactionRecovery as Recovery } from "../transaction-result.ts";

/**
 * Finishes or undoes an interrupted transaction and says which. Undefined if there was none; then nothing is written.
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

const meanings = {
  finished: "was finished",
  undone: "was undone: no file had been changed yet",
  "put-back": "was rolled back",
  incomplete: "could not be rolled back completely",
};

/** The same for a caller that already holds the lock of `stateDir`, a real path. */
export async function recoverUnder(held: FolderLock, stateDir: string): Promise<TransactionRecovery | undefined> {
  held.assertHeld();
  let found: ReturnType<typeof findRecord>;
  try {
    // Torn by a crash before anything had been done for it.
    if (isThere(recordPath(stateDir, "tmp"))) inItsFolder(recordPath(stateDir, "tmp"), removeFile);
    found = findRecord(stateDir);
  } catch (error) {
    const hint = "Fix the problem above, then run the command again.";
    throw explain(error, `The transaction record in ${stateDir} cannot be read`, hint, stateDir);
  }
  if (found === undefined) return undefined;
  const { phase, record } = found;
  try {
    // The record's name must be on disk before anything acts on it.
    fsyncFolder(stateDir);
    const files = record.entries.map(({ target }) => target);
    const ending = await resume(stateDir, phase, record);
    const { outcome, edited, lost, keptFolders } = ending;
    const what = `An interrupted change to ${files.length} file${files.length === 1 ? "" : "s"}`;
    const message = printable(`${what} ${meanings[outcome]}${because(ending)}.${remarks(ending)}`);
    return { outcome, files, edited, lost, keptFolders, message };
  } catch (error) {
    throw unfinished(error, stateDir);
  }
}

/** Explains a failed file-system call that leaves a record for the next call. */
export function unfinished(error: unknown, stateDir: string): unknown {
  if (errnoOf(error) === undefined && !(error instanceof DurableError)) return error;
  const what = "A change was interrupted; running the command again will finish or undo it";
  return new DurableError("unfinished", {
    message: `${what}: ${(error as Error).message}`,
    at: stateDir,
    hint: "Free up disk space or repair the file system, then run the command again.",
    cause: error,
  });
}
