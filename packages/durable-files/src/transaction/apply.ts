// After the point of no return. Only renames and removals, so it needs no free disk space. It may be killed anywhere and run again.
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { DurableError } from "../errors.ts";
import { errnoOf } from "../files/errno.ts";
import { fsyncFoldersOf, removeEmptyFolder, removeFile } from "../files/folder.ts";
import { inItsFolder } from "../files/pinned.ts";
import type { TransactionEnding } from "../transaction-result.ts";
import { advance, type RecordEntry, type RecordPhase, recordPath, type TransactionRecord } from "./record.ts";
import { isThere, stateOf } from "./state-of.ts";

/**
 * Completes a transaction from any phase. An intent is dropped; a commit is applied,
 * or everything is put back if a file was edited or a staged file is gone.
 */
export async function resume(
  stateDir: string,
  phase: RecordPhase,
  record: TransactionRecord,
): Promise<TransactionEnding> {
  const { entries } = record;
  const targets = entries.map(({ target }) => target);
  let at = phase;
  let edited: string[] = [];
  let unstaged: string[] = [];
  const lost: string[] = [];
  if (at === "commit") {
    ({ edited, unstaged } = await applyAll(entries));
    at = edited.length + unstaged.length > 0 ? "undo" : "done";
    advance(stateDir, "commit", at);
  }
  if (at === "undo") {
    for (const { kind, target, new: next, temp, backup } of entries.toReversed()) {
      const isUntouched = kind === "delete" ? isThere(target) : isThere(temp) || stateOf(target) !== next;
      if (isUntouched) continue; // never applied, or edited since: the edit stays
      // Without the backup, the old content (or the sign that there was none) is gone.
      if (!isThere(backup)) lost.unshift(target);
      else if (kind === "create") inItsFolder(target, removeFile);
      else renameBeside(backup, target);
    }
    await fsyncFoldersOf(targets);
  }
  // Backups first: as long as the new content exists, an interrupted undo knows that the entry was never applied.
  for (const { backup } of entries) removeFile(backup);
  for (const { temp } of entries) removeFile(temp);
  const folders = at === "done" ? record.prune : record.folders.toReversed();
  const ends = folders.map((folder) => ({ folder, end: removeIfEmpty(folder) }));
  const removed = ends.filter(({ end }) => end === "removed").map(({ folder }) => folder);
  // Without the record, a staged file that a power cut brings back would never be found.
  await fsyncFoldersOf([...targets, ...removed]);
  inItsFolder(recordPath(stateDir, at), removeFile);
  const keptFolders = ends.filter(({ end }) => end === "may not").map(({ folder }) => folder);
  const outcomes = { intent: "undone", done: "finished", undo: lost.length > 0 ? "incomplete" : "put-back" } as const;
  return { outcome: outcomes[at], edited, unstaged, lost, keptFolders };
}

/** A folder that has been replaced is not ours to remove. */
function removeIfEmpty(folder: string): ReturnType<typeof removeEmptyFolder> {
  try {
    return inItsFolder(folder, removeEmptyFolder);
  } catch (error) {
    const isReplaced = error instanceof DurableError && error.code === "unsafe-file";
    if (isReplaced || ["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return "stays";
    throw error;
  }
}

function renameBeside(from: string, to: string): void {
  inItsFolder(to, (target) => fs.renameSync(join(dirname(target), basename(from)), target));
}

/** Checks all entries, then applies them, checking each again. Stops at the first one it cannot apply and returns it. */
async function applyAll(entries: readonly RecordEntry[]): Promise<Pick<TransactionEnding, "edited" | "unstaged">> {
  const inTheWay: { edited: string[]; unstaged: string[] } = { edited: [], unstaged: [] };
  for (const entry of entries) {
    const progress = progressOf(entry);
    if (progress === "edited" || progress === "unstaged") inTheWay[progress].push(entry.target);
  }
  if (inTheWay.edited.length + inTheWay.unstaged.length > 0) return inTheWay;
  for (const entry of entries) {
    const progress = progressOf(entry);
    if (progress === "edited" || progress === "unstaged") return { ...inTheWay, [progress]: [entry.target] };
    if (progress === "applied") continue;
    if (entry.kind === "delete") inItsFolder(entry.target, (target) => fs.unlinkSync(target));
    else renameBeside(entry.temp, entry.target);
  }
  await fsyncFoldersOf(entries.map(({ target }) => target));
  // An editor that opened the old file before our rename and saved after it has written into what is now only the backup.
  const late = entries.filter(
    ({ kind, old, backup }) => kind !== "create" && isThere(backup) && stateOf(backup) !== old,
  );
  return { edited: late.map(({ target }) => target), unstaged: [] };
}

/**
 * How far one file of a committed transaction got, judged by what is on disk. Every answer that leads to an action
 * rests on a staged file beside the target; the record alone is only a claim. `unstaged`: a staged file has been removed, so the
 * entry can neither be applied nor counted as applied.
 */
function progressOf({
  kind,
  target,
  old,
  new: next,
  temp,
  backup,
}: RecordEntry): "applied" | "to do" | "edited" | "unstaged" {
  const now = stateOf(target);
  if (kind === "delete") {
    if (now === "absent") return "applied";
    if (now !== old) return "edited";
    return stateOf(backup) === old ? "to do" : "unstaged";
  }
  if (isThere(temp)) {
    if (now !== old) return "edited";
    return isThere(backup) ? "to do" : "unstaged";
  }
  if (now === next && old !== next) return "applied";
  // With the old content kept, only our rename explains that the new one is gone; the target was edited on top of it since.
  return isThere(backup) && (now !== old || old === next) ? "applied" : "unstaged";
}
