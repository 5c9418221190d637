import * as fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DurableError } from "../errors.ts";
import { errnoOf } from "../files/errno.ts";
import { followLink, fsyncFolder, realFolder } from "../files/folder.ts";
import { refuseUnlessPlain, writeFull } from "../files/plain-file.ts";
import { type FolderLock, type LockOptions, lockFolder, releaseAfterFailure } from "../lock/lock.ts";
import { encodeLine, type Link } from "./line.ts";
import { type JournalRecord, type Scan, scan, type TornTail } from "./read-journal.ts";

export type JournalOptions = LockOptions & {
  /** Called with every existing record, in order, before the journal can be written. */
  replay?: (record: JournalRecord) => void;
};

export type Journal = {
  readonly path: string;
  /** Number of the last record that is on disk; 0 for an empty journal. */
  readonly last: number;
  /** The half-written end that a crash left behind, cut off when the journal was opened. */
  readonly torn: TornTail | undefined;
  /** Resolves with the record's number once it is on disk. Appends of the same turn share one write and one fsync. */
  append(event: unknown): Promise<number>;
  /** The same without waiting; pending appends are written with it. */
  appendSync(event: unknown): number;
  /** Writes pending appends and lets the next writer in. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Opens a journal for writing, as its only writer until it is closed.
 * @example
 * await using journal = await openJournal("run.jsonl", { replay: ({ event }) => state.apply(event) });
 * await journal.append({ type: "node-started", node: "review" });
 */
export async function openJournal(path: string, options: JournalOptions = {}): Promise<Journal> {
  // Two names of one file are one journal, so the lock belongs to the file that links lead to.
  const named = resolve(path);
  const place = join(realFolder(dirname(named)).path, basename(named));
  const isLink = fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const file = isLink ? followLink(place).path : place;
  const seen = fs.statSync(file, { throwIfNoEntry: false });
  if (seen !== undefined) refuseUnlessPlain(file, seen); // before the lock leaves a folder beside it
  const held = await lockFolder(`${file}.lock`, { purpose: `writing ${file}`, ...options });
  let fd: number | undefined;
  try {
    const now = fs.statSync(file, { throwIfNoEntry: false });
    if (now !== undefined) refuseUnlessPlain(file, now);
    // Append rather than write at a position: even a fenced writer that gets through cannot overwrite anything.
    const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK } = fs.constants;
    fd = fs.openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o666);
    refuseUnlessPlain(file, fs.fstatSync(fd));
    if (now === undefined) fsyncFolder(dirname(file));
    const found = scan(fd, file, options.replay ?? (() => undefined));
    if (found.torn !== undefined) {
      held.assertHeld();
      fs.ftruncateSync(fd, found.length);
      fs.fsyncSync(fd);
    }
    return new OpenJournal(file, held, fd, found);
  } catch (error) {
    if (fd !== undefined) fs.closeSync(fd);
    releaseAfterFailure(held);
    throw error;
  }
}

type Waiting = { line: string; n: number; resolve: (n: number) => void; reject: (error: unknown) => void };

class OpenJournal implements Journal {
  readonly path: string;
  readonly torn: TornTail | undefined;
  readonly #held: FolderLock;
  /** Undefined once closed. */
  #fd: number | undefined;
  /** The last record on disk, and the file's length up to it. */
  #end: Link;
  #length: number;
  /** The last record that has a number, including those waiting to be written. */
  #next: Link;
  #waiting: Waiting[] = [];
  #failure: DurableError | undefined;

  constructor(path: string, held: FolderLock, fd: number, found: Scan) {
    this.path = path;
    this.torn = found.torn;
    this.#held = held;
    this.#fd = fd;
    this.#end = found.end;
    this.#next = found.end;
    this.#length = found.length;
  }

  get last(): number {
    return this.#end.n;
  }

  async append(event: unknown): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#enqueue(event, resolve, reject);
      if (this.#waiting.length === 1) queueMicrotask(() => this.#flush());
    });
  }

  appendSync(event: unknown): number {
    let failure: unknown;
    const n = this.#enqueue(
      event,
      () => undefined,
      (error) => {
        failure = error;
      },
    );
    this.#flush();
    if (failure !== undefined) throw failure;
    return n;
  }

  close(): void {
    if (this.#fd === undefined) return;
    this.#flush();
    const fd = this.#fd;
    this.#fd = undefined;
    try {
      fs.closeSync(fd);
    } finally {
      this.#held.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #enqueue(event: unknown, resolve: Waiting["resolve"], reject: Waiting["reject"]): number {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#fd === undefined) throw this.#fenced("has been closed");
    const { line, link } = encodeLine(this.#next, event);
    this.#next = link;
    this.#waiting.push({ line, n: link.n, resolve, reject });
    return link.n;
  }

  #flush(): void {
    const batch = this.#waiting.splice(0);
    const fd = this.#fd;
    if (batch.length === 0 || fd === undefined) return;
    try {
      const bytes = Buffer.from(batch.map(({ line }) => line).join(""));
      this.#held.assertHeld();
      const { size, nlink } = fs.fstatSync(fd);
      if (nlink === 0) throw this.#fenced("was removed while it was open");
      if (size !== this.#length) throw this.#fenced("was changed by another program while it was open");
      try {
        writeFull(fd, bytes, this.path);
        fs.fsyncSync(fd);
      } catch (error) {
        this.#held.assertHeld();
        try {
          // After a failed write, what is on disk is unknown. If the tail cannot be cut off now, the next opening does it.
          fs.ftruncateSync(fd, this.#length);
        } catch (failure) {
          if (errnoOf(failure) === undefined) throw failure;
        }
        throw error;
      }
      this.#length += bytes.length;
    } catch (error) {
      // A failed fsync is never tried again: the kernel may report success for pages it has dropped.
      this.#failure =
        error instanceof DurableError && error.code === "fenced"
          ? error
          : new DurableError("io", {
              message: `The journal ${this.path} could not be written: ${(error as Error).message}`,
              at: this.path,
              hint: `Records up to number ${this.#end.n} are safe. Free up disk space or repair the disk, then open the journal again.`,
              cause: error,
            });
      for (const { reject } of batch) reject(this.#failure);
      return;
    }
    this.#end = this.#next;
    for (const { n, resolve } of batch) resolve(n);
  }

  #fenced(what: string): DurableError {
    return new DurableError("fenced", {
      message: `The journal ${this.path} ${what}`,
      at: this.path,
      hint: "Nothing more will be written. Open the journal again.",
    });
  }
}
