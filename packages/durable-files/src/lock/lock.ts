import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DurableError } from "../errors.ts";
import { attempt, explain } from "../files/errno.ts";
import { makeFolder, missingFolders } from "../files/folder.ts";
import type { TransactionResult } from "../transaction-result.ts";
import { claim, discard, generations, held as heldFile, ownerOf, released } from "./generations.ts";
import { isProvablyDead, type LockOwner, pidExists, thisProcess } from "./owner.ts";

export type LockOptions = {
  /** How long to wait for the current holder, in milliseconds. Default 10,000; 0 tries once. */
  deadlineMs?: number;
  /** What the lock is for, shown to processes that wait for it. */
  purpose?: string;
  /** Ends the wait, with the signal's reason. */
  signal?: AbortSignal | undefined;
};

export type FolderLock = {
  /** The folder that holds the lock's files. */
  readonly folder: string;
  /** Grows each time the lock is taken: a fencing token. */
  readonly generation: number;
  /** Throws `fenced` if the lock was released or another process has taken over. Two `stat` calls. */
  assertHeld(): void;
  /** Releases the lock. A second call does nothing. */
  release(): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Waits until this caller alone holds the lock of `dir`, among all processes and among the tasks and threads of this one.
 * A dead owner is replaced immediately; for a live one it waits, and names it when the deadline passes.
 * @example
 * await using held = await lock(".opencode/.hugo", { purpose: "hugo install" });
 */
export async function lock(dir: string, options: LockOptions = {}): Promise<FolderLock> {
  refuseUnlessFolderName(dir);
  return await lockFolder(join(resolve(dir), "lock"), options);
}

/** An empty name would mean the working folder, whichever that is. */
export function refuseUnlessFolderName(dir: string): void {
  if (dir !== "" && !dir.includes("\0")) return;
  const message = `${JSON.stringify(dir)} is not a folder path`;
  throw new DurableError("unsafe-path", { message, hint: "Pass the path to the state folder." });
}

/** The same with the lock's files in `folder` itself. */
export async function lockFolder(folder: string, options: LockOptions = {}): Promise<FolderLock> {
  const { deadlineMs = 10_000, purpose = "", signal } = options;
  const deadline = performance.now() + deadlineMs;
  for (let waitMs = 2; ; waitMs = Math.min(waitMs * 1.5, 60)) {
    signal?.throwIfAborted();
    const found = tryLock(folder, purpose);
    if ("assertHeld" in found) return found;
    const left = deadline - performance.now();
    if (left > 0) {
      try {
        // Jitter, so many waiting processes do not all come back at the same moment.
        await delay(Math.min(left, waitMs * (0.5 + Math.random())), undefined, signal && { signal });
      } catch (error) {
        if (signal?.aborted !== true) throw error; // thrown above, with its reason
      }
      continue;
    }
    const { owner, generation } = found;
    if (owner === undefined) {
      const message = `${folder} could not be locked within ${deadlineMs} ms: other processes kept getting there first`;
      throw new DurableError("locked", { message, at: folder, hint: "Run the command again." });
    }
    const me = thisProcess("");
    const here = owner.boot === me.boot && owner.host === me.host && owner.pidSpace === me.pidSpace;
    const who = here && owner.pid === me.pid ? `this process (pid ${owner.pid})` : `pid ${owner.pid} on ${owner.host}`;
    const why = owner.purpose === "" ? "" : ` for ${JSON.stringify(owner.purpose)}`;
    const file = join(folder, String(generation));
    throw new DurableError("locked", {
      message: `${folder} has been held by ${who}${why} since ${owner.since}; gave up after ${deadlineMs} ms`,
      at: file,
      hint: here
        ? "Wait for that process to finish or stop it, then run the command again."
        : `That process cannot be checked from here. If it is no longer running, remove ${file}.`,
    });
  }
}

// A process that keeps running after a full disk must not hold its lock forever.
const failedReleases = new Set<FolderLock>();

/** The lock, or the owner in the way; a process that was faster just now stays unknown. */
function tryLock(folder: string, purpose: string): FolderLock | { owner: LockOwner | undefined; generation: number } {
  try {
    for (const failed of [...failedReleases]) failed.release();
    for (const missing of missingFolders(folder)) makeFolder(missing);
    const latest = generations(folder).at(-1) ?? 0;
    const owner = latest === 0 ? undefined : ownerOf(folder, latest);
    // The lock was removed after we had listed it. Claiming the next number would overtake a process that has come since.
    if (owner === "gone") return { owner: undefined, generation: latest };
    if (owner !== undefined && !isProvablyDead(owner)) return { owner, generation: latest };
    const generation = latest + 1;
    const fd = claim(folder, generation, thisProcess(purpose));
    if (fd === undefined) return { owner: undefined, generation };
    const held = new HeldLock(folder, generation, fd);
    let isHighest = false;
    try {
      // Our view may have been so old that our number had been used and removed: then a higher one exists.
      const all = generations(folder);
      isHighest = all.at(-1) === generation;
      if (!isHighest) discard(folder, String(generation));
      else {
        // Remove what dead processes and older generations left behind.
        // Ascending: a fenced holder sees its own generation gone before the one that follows it (see `assertHeld`).
        for (const older of all) if (older <= generation - 2) discard(folder, String(older));
        for (const name of fs.readdirSync(folder)) {
          const pid = /^tmp-(\d+)-/.exec(name)?.[1];
          if (name.startsWith("gone-") || (pid !== undefined && !pidExists(Number(pid)))) discard(folder, name);
        }
      }
    } catch (error) {
      held.release();
      throw error;
    }
    if (isHighest) return held;
    held.release();
    return { owner: undefined, generation };
  } catch (error) {
    throw explain(error, `The lock ${folder} cannot be acquired`, "Check that the folder is writable.", folder);
  }
}

class HeldLock implements FolderLock {
  readonly folder: string;
  readonly generation: number;
  /** Kept open, so a link count of zero can only mean that this very file was removed. */
  #fd: number | undefined;

  constructor(folder: string, generation: number, fd: number) {
    this.folder = folder;
    this.generation = generation;
    this.#fd = fd;
  }

  assertHeld(): void {
    if (this.#fd === undefined) throw this.#fenced("has been released");
    // In this order, because generations are removed lowest first: if ours is there *after* the look at the next one,
    // the next one had not come and gone.
    const next = fs.lstatSync(join(this.folder, String(this.generation + 1)), { throwIfNoEntry: false });
    if (next !== undefined) throw this.#fenced("was taken over by another process");
    if (fs.fstatSync(this.#fd).nlink === 0) throw this.#fenced("was removed");
  }

  release(): void {
    if (this.#fd === undefined) return;
    try {
      // Nothing to release if you removed the lock, or if another process has taken over and cleaned up.
      if (fs.fstatSync(this.#fd).nlink > 0) {
        const path = join(this.folder, String(this.generation));
        attempt(() => fs.renameSync(join(path, heldFile), join(path, released)), "ENOENT");
      }
    } catch (error) {
      failedReleases.add(this);
      const hint = "It will be released when this process exits or acquires its next lock.";
      throw explain(error, `The lock ${this.folder} could not be released`, hint, this.folder);
    }
    fs.closeSync(this.#fd);
    this.#fd = undefined;
    failedReleases.delete(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  #fenced(what: string): DurableError {
    return new DurableError("fenced", {
      message: `The lock ${this.folder} (generation ${this.generation}) ${what}`,
      at: this.folder,
      hint: "Nothing more will be written. Run the command again.",
    });
  }
}

/**
 * Runs `body` under the lock of `dir`: one taken here, or one that the caller already holds.
 * `completed` describes what `body` did, in case only releasing the lock fails.
 */
export async function withLock<T>(
  dir: string,
  options: LockOptions & { lock?: FolderLock },
  body: (held: FolderLock) => Promise<T>,
  completed: (result: T) => Partial<TransactionResult>,
): Promise<T> {
  refuseUnlessFolderName(dir);
  if (options.lock !== undefined) {
    const given = options.lock;
    given.assertHeld();
    if (realDir(dirname(given.folder)) === realDir(dir)) return await alone(given, () => body(given));
    throw new DurableError("unsafe-path", {
      message: `The lock ${given.folder} does not protect ${dir}`,
      at: dir,
      hint: "Pass this folder's lock, or no lock at all.",
    });
  }
  const held = await lock(dir, options);
  let result: T;
  try {
    result = await body(held);
  } catch (error) {
    releaseAfterFailure(held);
    throw error;
  }
  try {
    held.release();
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    const done = completed(result);
    const count = (done.files ?? []).filter(({ did }) => did !== "nothing").length;
    const change = count > 0 ? `The change was completed (${count} file${count === 1 ? "" : "s"}).` : "";
    const summary = [done.recovered?.message ?? "", change].filter(Boolean).join(" ") || "There was nothing to change.";
    const { code, message, at, hint } = error;
    throw new DurableError(code, { message: `${summary} ${message}`, at, hint, completed: done, cause: error });
  }
  return result;
}

const lastUse = new WeakMap<FolderLock, Promise<unknown>>();

/** A caller that shares one lock among its own tasks still gets one transaction after the other. */
async function alone<T>(held: FolderLock, body: () => Promise<T>): Promise<T> {
  const before = lastUse.get(held) ?? Promise.resolve();
  const use = before.then(body, body);
  lastUse.set(held, use);
  return await use;
}

/** Releases a lock after something else has failed. */
export function releaseAfterFailure(held: FolderLock): void {
  try {
    held.release();
  } catch (error) {
    // Report the first failure. The lock becomes free with the next attempt or when this process ends.
    if (!(error instanceof DurableError && error.code === "io")) throw error;
  }
}

/** The real path of a state folder. */
export function realDir(dir: string): string {
  try {
    return fs.realpathSync.native(dir);
  } catch (error) {
    throw explain(
      error,
      `The state folder ${dir} cannot be found`,
      "Check the path. The folder is created when it is first locked.",
      dir,
    );
  }
}
