import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Longer than the work ever takes: the owner has been killed, and another process may have got its number. */
const longestMs = 15 * 60_000;

/**
 * Does the work when no other process that uses this lock does its own: two builds would change what the other one reads.
 *
 * @param lock A file that contains the owner's process id. It counts only while that process runs.
 * @param whenBusy Called once if there is a process to wait for.
 */
export function oneAtATime(lock, whenBusy, work) {
  mkdirSync(dirname(lock), { recursive: true });
  let known;
  while (!isTaken(lock)) {
    const owner = ownerOf(lock);
    if (owner === undefined) continue;
    if (owner.isGone) removeLeft(lock);
    else {
      if (owner.pid !== known && owner.pid !== 0) whenBusy(owner.pid);
      known = owner.pid;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    return work();
  } finally {
    if (ownerOf(lock)?.pid === process.pid) rmSync(lock, { force: true });
  }
}

/** One process at a time, so none removes the lock that another one has just taken instead. */
function removeLeft(lock) {
  const removing = `${lock}.removing`;
  if (!isTaken(removing)) {
    const other = ownerOf(removing);
    if (other?.isGone) rmSync(removing, { force: true });
    return;
  }
  try {
    if (ownerOf(lock)?.isGone) rmSync(lock, { force: true });
  } finally {
    rmSync(removing, { force: true });
  }
}

function isTaken(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined if the lock has just been released; 0 if it has just been taken. */
function ownerOf(lock) {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    const isOld = Date.now() - statSync(lock).mtimeMs > longestMs;
    return { pid, isGone: isOld || pid === process.pid || (pid !== 0 && !isRunning(pid)) };
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error.code === "ESRCH") return false;
    if (error.code === "EPERM") return true;
    throw error;
  }
}
