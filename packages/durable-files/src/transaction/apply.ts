// After the point of no return. Renames and removals only: this needs no free disk space. It may be killed anywhere and run again.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { fsyncFolder, removeEmptyFolder, removeFile } from "../files/folder.ts";
import { type Ending, ending } from "./ending.ts";
import { progressOf } from "./progress.ts";
import { advance, type Entry, recordPath, type TransactionRecord } from "./record.ts";
import { foldersOf } from "./stage.ts";
import { isFolder, isThere, stateOf } from "./state-of.ts";

/** Brings a committed transaction to its end, or puts everything back if somebody edited a file or removed what was staged. */
export function rollForward(stateDir: string, record: TransactionRecord): Ending {
  const { edited, unstaged } = applyAll(record.entries);
  if (edited.length + unstaged.length > 0) {
    advance(stateDir, "commit", "undo");
    return { ...putBack(stateDir, record), edited, unstaged };
  }
  advance(stateDir, "commit", "done");
  return finish(stateDir, record);
}

/** Applies all entries or stops; gives what stood in the way. */
function applyAll(entries: readonly Entry[]): Pick<Ending, "edited" | "unstaged"> {
  const those = (progress: string): string[] =>
    entries.filter((entry) => progressOf(entry) === progress).map(({ target }) => target);
  const inTheWay = { edited: those("edited"), unstaged: those("unstaged") };
  if (inTheWay.edited.length + inTheWay.unstaged.length > 0) return inTheWay;
  for (const entry of entries) {
    // Once more right before it happens.
    const progress = progressOf(entry);
    if (progress === "edited" || progress === "unstaged") return { ...inTheWay, [progress]: [entry.target] };
    if (progress === "to do") applyEntry(entry);
  }
  syncFolders(entries);
  return { edited: entries.filter(wasWrittenLate).map(({ target }) => target), unstaged: [] };
}

function applyEntry({ kind, target, temp }: Entry): void {
  if (kind === "delete") fs.unlinkSync(target);
  else fs.renameSync(temp, target);
}

/** An editor that opened the old file before our rename and saved after it has written into what is now only the backup. */
function wasWrittenLate({ kind, old, backup }: Entry): boolean {
  return kind !== "create" && isThere(backup) && stateOf(backup) !== old;
}

/** Undoes what was applied, except where somebody has edited the file since. */
export function putBack(stateDir: string, record: TransactionRecord): Ending {
  const lost = record.entries.toReversed().filter((entry) => !isBack(entry));
  syncFolders(record.entries);
  const keptFolders = tidyUp(record, record.folders.toReversed());
  removeFile(recordPath(stateDir, "undo"));
  const outcome = lost.length > 0 ? "incomplete" : "put-back";
  return ending(outcome, { lost: lost.map(({ target }) => target).reverse(), keptFolders });
}

/** Puts one file back; false if that would be necessary but its old content (or the sign that there was none) is gone. */
function isBack({ kind, target, new: next, temp, backup }: Entry): boolean {
  if (kind === "delete") {
    if (isThere(target)) return true;
    if (!isThere(backup)) return false;
    fs.renameSync(backup, target);
    return true;
  }
  if (isThere(temp) || stateOf(target) !== next) return true;
  if (!isThere(backup)) return false;
  if (kind === "create") removeFile(target);
  else fs.renameSync(backup, target);
  return true;
}

/** Removes what was only prepared. */
export function dropIntent(stateDir: string, record: TransactionRecord): Ending {
  const keptFolders = tidyUp(record, record.folders.toReversed());
  removeFile(recordPath(stateDir, "intent"));
  return ending("undone", { keptFolders });
}

/** Removes the backups of a transaction that is through, and the folders it emptied. */
export function finish(stateDir: string, record: TransactionRecord): Ending {
  const keptFolders = tidyUp(record, record.prune);
  removeFile(recordPath(stateDir, "done"));
  return ending("finished", { keptFolders });
}

/** Removes all staged files and those of the folders that are empty, durably; gives the folders that may not be removed. */
function tidyUp({ entries }: TransactionRecord, folders: readonly string[]): string[] {
  // Backups first: as long as the new content is there, an interrupted undoing knows that the entry was never applied.
  for (const { backup } of entries) removeFile(backup);
  for (const { temp } of entries) removeFile(temp);
  const ends = folders.map((folder) => ({ folder, end: removeEmptyFolder(folder) }));
  const gone = ends.filter(({ end }) => end === "removed").map(({ folder }) => dirname(folder));
  // Without the record nobody would look for a staged file that a power cut brings back.
  for (const folder of new Set([...foldersOf(entries), ...gone])) syncIfThere(folder);
  return ends.filter(({ end }) => end === "may not").map(({ folder }) => folder);
}

function syncFolders(entries: readonly Entry[]): void {
  for (const folder of foldersOf(entries)) syncIfThere(folder);
}

function syncIfThere(folder: string): void {
  if (isFolder(folder)) fsyncFolder(folder);
}
