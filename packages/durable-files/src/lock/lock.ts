import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DurableError } from "../errors.ts";
import { attempt, explain } from "../files/errno.ts";
import { makeFolders } from "../files/folder.ts";
import { claim, discard, generationFolder, generations, giveBack, ownerOf, tidy } from "./generations.ts";
import { isProvablyDead, type Owner, thisProcess } from "./owner.ts";

export type LockOptions = {
  /** How long to wait for the present holder, in milliseconds. Default 10,000; 0 tries once. */
  deadlineMs?: number;
  /** What the lock is for, shown to whoever waits for it. */
  purpose?: string;
  /** Ends the waiting, with its reason. */
  signal?: AbortSignal | undefined;
};

export type Lock = {
  /** The folder that holds the lock's files. */
  readonly folder: string;
  /** Grows with every taking of the lock: a fencing token. */
  readonly generation: number;
  /** Throws `fenced` if the lock was given back or somebody has taken over. Two `stat` calls. */
  assertHeld(): void;
  /** Gives the lock back. A second call does nothing. */
  release(): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Waits until this caller is the only one who holds the lock of `dir`: among all processes, and among the tasks and threads of this one.
 * A dead owner is replaced at once; a living one is waited for and named when the deadline passes.
 * @example
 * await using held = await lock(".opencode/.hugo", { purpose: "hugo install" });
 */
export async function lock(dir: string, options: LockOptions = {}): Promise<Lock> {
  refuseUnlessFolderName(dir);
  return await lockFolder(join(resolve(dir), "lock"), options);
}

/** An empty name would mean the working folder, whichever that is. */
export function refuseUnlessFolderName(dir: string): void {
  if (dir !== "" && !dir.includes("\0")) return;
  const message = `${JSON.stringify(dir)} is not the name of a folder`;
  throw new DurableError("unsafe-path", { message, hint: "Name the folder that keeps the state." });
}

/** The same with the lock's files in `folder` itself. */
export async function lockFolder(folder: string, options: LockOptions = {}): Promise<Lock> {
  const { deadlineMs = 10_000, purpose = "", signal } = options;
  const deadline = performance.now() + deadlineMs;
  for (let waitMs = 2; ; waitMs = Math.min(waitMs * 1.5, 60)) {
    signal?.throwIfAborted();
    const found = tryLock(folder, purpose);
    if ("assertHeld" in found) return found;
    const left = deadline - performance.now();
    if (left <= 0) throw lockedBy(folder, found, deadlineMs);
    // Jitter, so that many waiting processes do not all come back at the same moment.
    await pause(Math.min(left, waitMs * (0.5 + Math.random())), signal);
  }
}

/** Shorter if the signal comes, which the next look at it tells. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal && { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** The lock, or who is in the way; somebody who was faster at this very moment stays unknown. */
function tryLock(folder: string, purpose: string): Lock | InTheWay {
  try {
    retryFailedReleases();
    makeFolders(folder);
    const latest = generations(folder).at(-1) ?? 0;
    const owner = latest === 0 ? undefined : ownerOf(folder, latest);
    // Somebody removed the lock after we had listed it. To claim the number that follows would overtake whoever has come since.
    if (owner === "gone") return { owner: undefined, generation: latest };
    if (owner !== undefined && !isProvablyDead(owner)) return { owner, generation: latest };
    const fd = claim(folder, latest + 1, thisProcess(purpose));
    const held = fd === undefined ? undefined : keepIfHighest(new HeldLock(folder, latest + 1, fd));
    return held ?? { owner: undefined, generation: latest + 1 };
  } catch (error) {
    throw explain(error, `The lock ${folder} cannot be taken`, "Check that the folder can be written.", folder);
  }
}

function keepIfHighest(held: HeldLock): HeldLock | undefined {
  const { folder, generation } = held;
  let kept = false;
  try {
    // Our view may have been so old that our number had been used and removed: then a higher one exists.
    kept = generations(folder).at(-1) === generation;
    if (kept) tidy(folder, generation);
    else discard(folder, String(generation));
  } catch (error) {
    held.release();
    throw error;
  }
  if (kept) return held;
  held.release();
  return undefined;
}

class HeldLock implements Lock {
  readonly folder: string;
  readonly generation: number;
  /** Kept open: as long as it is, "no name left" of this very file cannot be confused with another file. */
  #fd: number | undefined;

  constructor(folder: string, generation: number, fd: number) {
    this.folder = folder;
    this.generation = generation;
    this.#fd = fd;
  }

  assertHeld(): void {
    if (this.#fd === undefined) throw this.#fenced("has been given back");
    // In this order, because generations are removed lowest first: if ours is there *after* the look at the next one,
    // the next one had not come and gone.
    const next = fs.lstatSync(generationFolder(this.folder, this.generation + 1), { throwIfNoEntry: false });
    if (next !== undefined) throw this.#fenced("was taken over by another process");
    if (fs.fstatSync(this.#fd).nlink === 0) throw this.#fenced("was removed");
  }

  release(): void {
    if (this.#fd === undefined) return;
    try {
      // Nothing to give back if a person removed the lock, or if another process has taken over and tidied up.
      if (fs.fstatSync(this.#fd).nlink > 0) attempt(() => giveBack(this.folder, this.generation), "ENOENT");
    } catch (error) {
      failedReleases.add(this);
      const hint = "It becomes free when this process ends or takes its next lock.";
      throw explain(error, `The lock ${this.folder} could not be given back`, hint, this.folder);
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
      message: `Generation ${this.generation} of the lock ${this.folder} ${what}`,
      at: this.folder,
      hint: "Nothing more is written. Run the command again.",
    });
  }
}

type InTheWay = { owner: Owner | undefined; generation: number };

// A process that lives on after a full disk must not hold its lock for ever.
const failedReleases = new Set<Lock>();

function retryFailedReleases(): void {
  for (const held of [...failedReleases]) held.release();
}

function lockedBy(folder: string, { owner, generation }: InTheWay, waitedMs: number): DurableError {
  if (owner === undefined) {
    const message = `${folder} could not be taken within ${waitedMs} ms: others were faster each time`;
    return new DurableError("locked", { message, at: folder, hint: "Run the command again." });
  }
  const me = thisProcess("");
  const here = owner.boot === me.boot && owner.host === me.host && owner.pidSpace === me.pidSpace;
  const who = here && owner.pid === me.pid ? `this process (pid ${owner.pid})` : `pid ${owner.pid} on ${owner.host}`;
  const why = owner.purpose === "" ? "" : ` for ${JSON.stringify(owner.purpose)}`;
  const file = generationFolder(folder, generation);
  return new DurableError("locked", {
    message: `${folder} is held by ${who}${why} since ${owner.since}; waited ${waitedMs} ms`,
    at: file,
    hint: here
      ? "Wait for that process or end it, then run the command again."
      : `That process cannot be checked from here. If it no longer runs, remove ${file}.`,
  });
}
