import * as fs from "node:fs";
import { DurableError } from "../errors.ts";
import { errnoOf } from "../files/errno.ts";
import { fsyncFolder, removeFile } from "../files/folder.ts";
import type { Lock, LockOptions } from "../lock/lock.ts";
import { withLock } from "../lock/with-lock.ts";
import { dropIntent, finish, putBack, rollForward } from "./apply.ts";
import { findRecord, type Phase, phases, recordPath, type TransactionRecord } from "./record.ts";
import { isThere } from "./state-of.ts";

/** What became of a transaction that was interrupted. */
export type Recovery = {
  outcome: "finished" | "undone" | "put-back";
  /** The files the transaction was about. */
  files: string[];
  /** Those among them that somebody else edited in between; the edits are kept. */
  edited: string[];
  message: string;
};

/**
 * Finishes or undoes a transaction that was interrupted, and says which. Undefined if there was none; then nothing is written at all.
 * `transaction()` does this by itself; call it before *reading* files that belong together.
 */
export async function recover(
  stateDir: string,
  options: LockOptions & { lock?: Lock } = {},
): Promise<Recovery | undefined> {
  if (!hasRecord(stateDir)) return undefined;
  return await withLock(stateDir, options, (held) => recoverUnder(held, fs.realpathSync.native(stateDir)));
}

/** The same for a caller that already holds the lock of `stateDir`, a real path. */
export function recoverUnder(held: Lock, stateDir: string): Recovery | undefined {
  held.assertHeld();
  // Torn by a crash before anything had been done for it.
  if (isThere(recordPath(stateDir, "tmp"))) removeFile(recordPath(stateDir, "tmp"));
  const found = findRecord(stateDir);
  if (found === undefined) return undefined;
  try {
    // What the record's name says has to be on disk before anything is done because of it.
    fsyncFolder(stateDir);
    return resume(stateDir, found.phase, found.record);
  } catch (error) {
    throw unfinished(error, stateDir);
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

function resume(stateDir: string, phase: Phase, record: TransactionRecord): Recovery {
  switch (phase) {
    case "intent":
      dropIntent(stateDir, record);
      return report("undone", record, []);
    case "undo":
      putBack(stateDir, record);
      return report("put-back", record, []);
    case "done":
      finish(stateDir, record);
      return report("finished", record, []);
    case "commit": {
      const { edited } = rollForward(stateDir, record);
      return report(edited.length > 0 ? "put-back" : "finished", record, edited);
    }
  }
}

const meanings = {
  finished: "was finished",
  undone: "was undone: none of them had been touched",
  "put-back": "was put back",
};

function report(outcome: Recovery["outcome"], { entries }: TransactionRecord, edited: string[]): Recovery {
  const files = entries.map(({ target }) => target);
  const because = edited.length > 0 ? ` because ${edited.join(", ")} was edited in between; that edit is kept` : "";
  const message = `An interrupted change of ${files.length} file${files.length === 1 ? "" : "s"} ${meanings[outcome]}${because}.`;
  return { outcome, files, edited, message };
}

function hasRecord(stateDir: string): boolean {
  return ([...phases, "tmp"] as const).some((phase) => fs.existsSync(recordPath(stateDir, phase)));
}
