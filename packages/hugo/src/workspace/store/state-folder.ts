// The life of `.hugo`: it appears with the first change, is ignored by git, and is removed when it is empty.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { inItsFolder, type PinnedFolder, pinFolder } from "@atomic/durable-files/files/pinned";
import { removeTree } from "../../sources/remove-tree.ts";
import { errnoOf, namesIn, randomName, removeIfEmpty, writeNew } from "./disk.ts";
import { repairSurroundings } from "./surroundings.ts";

const IGNORE_ALL = "*\n";
/** A lock that is being removed, see `removeIfWorthless`. */
const GONE = "gone-";
const WAITING = "waiting-";
/** A base that is being written. */
export const HALF_BASE = "new-";

/** For the holder of the lock: removes what an interrupted command left, and what does not belong to the store. */
export function prepareStateFolder(stateFolder: string): void {
  removeLeftovers(stateFolder);
  repairSurroundings(stateFolder);
  const ignore = join(stateFolder, ".gitignore");
  if (fs.existsSync(ignore) && fs.readFileSync(ignore, "utf8").split(/\r?\n/).includes("*")) return;
  const unnamed = join(stateFolder, `${GONE}${randomName()}`);
  writeNew(unnamed, { bytes: Buffer.from(IGNORE_ALL), executable: false });
  fs.renameSync(unnamed, ignore);
}

/** Removes what exists only while a command runs. */
export function removeLeftovers(stateFolder: string): void {
  removeTree(join(stateFolder, "staging"));
  for (const name of namesIn(join(stateFolder, "bases"))) {
    if (name.startsWith(HALF_BASE)) removeTree(join(stateFolder, "bases", name));
  }
  for (const name of namesIn(stateFolder)) {
    if (name.startsWith(GONE) || (name.startsWith(WAITING) && !isAwaiting(name))) removeTree(join(stateFolder, name));
  }
}

/** All packages and bases, below the state folder: `store/review-0123456789abcdef`. */
export function storedPaths(stateFolder: string): string[] {
  return ["store", "bases"].flatMap((folder) => namesIn(join(stateFolder, folder)).map((name) => `${folder}/${name}`));
}

/** Deletes a package or a base. Interrupted, it is still whole, or it has a name under which it is a leftover. */
export function discard(stateFolder: string, path: string): void {
  const gone = join(stateFolder, `${GONE}${randomName()}`);
  fs.renameSync(join(stateFolder, path), gone);
  removeTree(gone);
}

/** Announces that a process is about to take the lock, until the returned file is removed. */
export function announce({ path, real }: PinnedFolder): string {
  const mark = join(path, `${WAITING}${process.pid}-${randomName()}`);
  try {
    writeNew(mark, { bytes: new Uint8Array(), executable: false });
    return mark;
  } catch (error) {
    removeWithParent(real);
    throw error;
  }
}

/** Removes the state folder if it is empty, and then the folder around it. One that has been replaced stays. */
function removeWithParent(real: string): void {
  for (const folder of [real, dirname(real)]) {
    try {
      inItsFolder(folder, removeIfEmpty);
    } catch (error) {
      if (!(error instanceof DurableError) && errnoOf(error) !== "ENOENT") throw error;
    }
  }
}

/**
 * Removes a state folder that holds only its own lock, and the folder around it if it is empty: a declined
 * installation leaves no trace. Only for the holder of the lock, as its last step, and only if no process is waiting:
 * it must not mistake a new lock for the old one. The last waiting process removes it.
 */
export function removeIfWorthless({ path: stateFolder, real }: PinnedFolder): void {
  for (const name of ["store", "bases", "generations"]) removeIfEmpty(join(stateFolder, name));
  const names = namesIn(stateFolder);
  if (names.some((name) => name !== "lock" && name !== ".gitignore")) return;
  fs.rmSync(join(stateFolder, ".gitignore"), { force: true });
  const [lock, gone] = [join(stateFolder, "lock"), join(stateFolder, `${GONE}${randomName()}`)];
  fs.renameSync(lock, gone);
  const isAwaited = namesIn(stateFolder).some(isAwaiting);
  if (isAwaited && !fs.existsSync(lock)) {
    fs.renameSync(gone, lock);
    return;
  }
  removeTree(gone);
  removeWithParent(real);
}

/** Whether a running process made the file. */
function isAwaiting(name: string): boolean {
  const pid = new RegExp(`^${WAITING}([1-9]\\d{0,9})-`).exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM: another user's process, alive.
    return errnoOf(error) === "EPERM";
  }
}

/** Whether a transaction is running or was interrupted: then the files on disk are neither old nor new. */
export function isUnfinished(stateFolder: string): boolean {
  return namesIn(stateFolder).some((name) => name.startsWith("transaction."));
}

/** Finishes or undoes an interrupted change, and returns the message about it. */
export async function recoverIfNeeded(stateFolder: string, within: string | undefined): Promise<string | undefined> {
  if (!isUnfinished(stateFolder)) return undefined;
  // Rarely needed, and a third of the code that a read-only command would load.
  const { recover } = await import("@atomic/durable-files/transaction/recover");
  let folder: PinnedFolder | undefined;
  try {
    folder = pinFolder(stateFolder, within);
    const recovered = await recover(folder.path, { purpose: "finishing an interrupted change" });
    folder.close();
    return recovered?.message;
  } catch (error) {
    // It stays open: a lock that could not be released is released through it later.
    folder?.naming(error);
    // Another command has finished it and removed the whole folder.
    const isGone = errnoOf(error instanceof Error && error.cause ? error.cause : error) === "ENOENT";
    if (isGone && !isUnfinished(stateFolder)) return undefined;
    throw error;
  }
}
