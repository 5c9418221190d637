import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { keepContent, unfinishedEnd } from "@atomic/durable-files/files/keep-content";
import { hashOf } from "@atomic/durable-files/files/plain-file";
import { readForEdit } from "@atomic/durable-files/files/read-for-edit";
import type { Journal } from "@atomic/durable-files/journal/journal";
import type { BlobRef, JournalEntry, RunEvent, StepNote } from "../events.ts";
import type { Json } from "../json.ts";
import { RunError } from "../run-error.ts";
import type { RunLog } from "../run-store.ts";
import { TranscriptFile } from "./transcript-file.ts";

/** How many events may wait for the disk. */
const maxWaiting = 1024;

interface FileLogHooks {
  readonly kept: () => void;
  readonly failed: (error: unknown) => void;
}

/** A run's journal. All events in one turn of the event loop are one write and one fsync. */
export class FileLog implements RunLog {
  readonly #journal: Journal;
  readonly #blobs: string;
  readonly #transcript: TranscriptFile;
  readonly #hooks: FileLogHooks;
  #waiting: JournalEntry[] = [];
  #last: number;
  /** The next write, of everything that waits. */
  #flush: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;
  /** What this process has saved or found: a result may be part of several. */
  readonly #saved = new Map<string, Promise<void>>();

  constructor(journal: Journal, folder: string, blobs: string, hooks: FileLogHooks) {
    this.#journal = journal;
    this.#blobs = blobs;
    this.#transcript = new TranscriptFile(folder);
    this.#hooks = hooks;
    this.#last = journal.last;
  }

  get isFull(): boolean {
    return this.#waiting.length >= maxWaiting;
  }

  append(event: RunEvent): JournalEntry {
    const entry = { n: ++this.#last, event };
    this.#waiting.push(entry);
    if (this.#flush === undefined) {
      this.#flush = new Promise((resolve) => setImmediate(resolve)).then(() => this.#write());
      this.#flush.catch(() => undefined); // reported through `failed`
    }
    return entry;
  }

  flushed(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return this.#flush;
  }

  /** Stores a text under its hash, so equal texts share one file. */
  async saveBlob(text: string): Promise<BlobRef> {
    const bytes = Buffer.from(text);
    const ref: BlobRef = { blob: hashOf(bytes), bytes: bytes.length };
    let saving = this.#saved.get(ref.blob);
    if (saving === undefined) {
      saving = this.#save(ref, bytes);
      this.#saved.set(ref.blob, saving);
    }
    await saving;
    return ref;
  }

  async #save({ blob }: BlobRef, content: Uint8Array): Promise<void> {
    // What a process left behind that was killed here; only this one writes now.
    for (const name of this.#saved.size > 0 || !existsSync(this.#blobs) ? [] : readdirSync(this.#blobs)) {
      if (name.endsWith(unfinishedEnd)) rmSync(join(this.#blobs, name), { force: true });
    }
    await keepContent(blobPath(this.#blobs, blob), content, blob);
  }

  tell(note: StepNote): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    try {
      this.#transcript.add(note);
    } catch (error) {
      // The disk is full, or the folder is gone: the journal is next.
      this.#failure = { error };
      this.#hooks.failed(error);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#journal.close();
  }

  async #write(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#flush = undefined;
    // After a failure or the end, no caller may believe that something was kept.
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isClosed) throw new Error("The journal has been closed.");
    try {
      await Promise.all(batch.map(({ event }) => this.#journal.append(event)));
    } catch (error) {
      this.#failure = { error };
      this.#hooks.failed(error);
      throw error;
    }
    this.#hooks.kept();
  }
}

export function loadBlob(folder: string, { blob, bytes }: BlobRef): Json {
  const path = blobPath(folder, blob);
  const read = readForEdit(path);
  if (read.hash === blob) return JSON.parse(Buffer.from(read.bytes).toString("utf8")) as Json;
  throw new RunError("damaged", {
    message: `The result ${path} (${bytes} bytes) ${read.hash === "absent" ? "is missing" : "does not match what was written"}`,
    at: path,
    hint: "Restore it from a backup, or start a new run.",
  });
}

function blobPath(folder: string, blob: string): string {
  return join(folder, `${blob.replace(":", "-")}.json`);
}
