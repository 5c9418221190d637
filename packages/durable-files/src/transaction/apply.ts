// After the point of no return. Renames and removals only: this needs no free disk space. It may be killed anywhere and run again.
import * as fs from "node:fs";
import { fsyncFolder, removeEmptyFolder, removeFile } from "../files/folder.ts";
import { advance, type Entry, recordPath, type TransactionRecord } from "./record.ts";
import { foldersOf } from "./stage.ts";
import { isThere, stateOf } from "./state-of.ts";

/** Brings a committed transaction to its end, or puts everything back if a file was edited by somebody else in the meantime. */
export function rollForward(stateDir: string, record: TransactionRecord): { edited: string[] } {
  const edited = applyAll(record.entries);
  if (edited.length > 0) {
    advance(stateDir, "commit", "undo");
    putBack(stateDir, record);
  } else {
    advance(stateDir, "commit", "done");
    finish(stateDir, record);
  }
  return { edited };
}

/** The paths that stood in the way because somebody edited them. */
function applyAll(entries: readonly Entry[]): string[] {
  const stopped = entries.findIndex((entry) => !applied(entry));
  if (stopped >= 0) {
    const rest = entries.slice(stopped).filter((entry, index) => index === 0 || progressOf(entry) === "edited");
    return rest.map(({ target }) => target);
  }
  syncFolders(entries);
  return entries.filter(wasWrittenLate).map(({ target }) => target);
}

/** Undoes what was applied, except where somebody has edited the file since. */
export function putBack(stateDir: string, record: TransactionRecord): void {
  for (const entry of record.entries.toReversed()) putBackEntry(entry);
  syncFolders(record.entries);
  removeTemps(record);
  removeBackups(record);
  for (const folder of record.folders.toReversed()) removeEmptyFolder(folder);
  removeFile(recordPath(stateDir, "undo"));
}

/** Removes what was only prepared. */
export function dropIntent(stateDir: string, record: TransactionRecord): void {
  removeTemps(record);
  removeBackups(record);
  for (const folder of record.folders.toReversed()) removeEmptyFolder(folder);
  removeFile(recordPath(stateDir, "intent"));
}

/** Removes the backups of a transaction that is through, and the folders it emptied. */
export function finish(stateDir: string, record: TransactionRecord): void {
  removeBackups(record);
  for (const folder of record.prune) removeEmptyFolder(folder);
  removeFile(recordPath(stateDir, "done"));
}

type Progress = "applied" | "to do" | "edited";

function progressOf({ kind, target, old, temp, backup }: Entry): Progress {
  // What tells "applied" is the one name that the applying rename takes away or makes; the target may have been edited since.
  if (kind === "delete" ? isThere(backup) : !isThere(temp)) return "applied";
  const now = stateOf(target);
  if (now === old) return "to do";
  return kind === "delete" && now === "absent" ? "applied" : "edited";
}

/** Applies an entry unless that was done before; false if somebody has edited the target. */
function applied(entry: Entry): boolean {
  const progress = progressOf(entry);
  if (progress === "edited") return false;
  if (progress === "to do") {
    if (entry.kind === "delete") fs.renameSync(entry.target, entry.backup);
    else fs.renameSync(entry.temp, entry.target);
  }
  return true;
}

/** An editor that opened the old file before our rename and saved after it has written into what is now only the backup. */
function wasWrittenLate({ kind, old, backup }: Entry): boolean {
  return kind !== "create" && isThere(backup) && stateOf(backup) !== old;
}

function putBackEntry({ kind, target, new: next, temp, backup }: Entry): void {
  if (kind === "delete") {
    if (isThere(backup) && !isThere(target)) fs.renameSync(backup, target);
    return;
  }
  if (isThere(temp) || stateOf(target) !== next) return;
  if (kind === "create") removeFile(target);
  else if (isThere(backup)) fs.renameSync(backup, target);
}

function syncFolders(entries: readonly Entry[]): void {
  for (const folder of foldersOf(entries)) if (isThere(folder)) fsyncFolder(folder);
}

function removeTemps({ entries }: TransactionRecord): void {
  for (const { kind, temp } of entries) if (kind !== "delete") removeFile(temp);
}

function removeBackups({ entries }: TransactionRecord): void {
  for (const { kind, backup } of entries) if (kind !== "create") removeFile(backup);
}
