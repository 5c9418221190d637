import type { Journal } from "@atomic/durable-files/journal/journal";
import type { JournalEntry, RunEvent, Stored } from "../events.ts";
import type { RunLog } from "../run-store.ts";
import { saveBlob } from "./blobs.ts";

/** So many events wait for the disk at most. */
const most = 1024;

export interface FileLogHooks {
  readonly kept: () => void;
  readonly failed: (error: unknown) => void;
}

/** A run's journal: what happens in one turn of the loop is one write and one fsync. */
export class FileLog implements RunLog {
  readonly #journal: Journal;
  readonly #blobs: string;
  readonly #hooks: FileLogHooks;
  #waiting: JournalEntry[] = [];
  #last: number;
  /** Of what waits at present. */
  #flush: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(journal: Journal, blobs: string, hooks: FileLogHooks) {
    this.#journal = journal;
    this.#blobs = blobs;
    this.#hooks = hooks;
    this.#last = journal.last;
  }

  get isFull(): boolean {
    return this.#waiting.length >= most;
  }

  append(event: RunEvent): JournalEntry {
    const entry = { n: ++this.#last, event };
    this.#waiting.push(entry);
    if (this.#flush === undefined) {
      this.#flush = new Promise((resolve) => setImmediate(resolve)).then(() => this.#write());
      this.#flush.catch(() => undefined); // told through `failed`
    }
    return entry;
  }

  flushed(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return this.#flush;
  }

  async saveBlob(text: string): Promise<Stored> {
    return await saveBlob(this.#blobs, text);
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
    // After a failure, or the end, nobody may believe that something was kept.
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
