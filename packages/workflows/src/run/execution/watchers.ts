import type { RunEvent, StepNote } from "../events.ts";
import { type Awaitable, isPromise } from "../promises.ts";

/** A slow watcher may miss notes, but never events: it reads those from the journal. */
const keptNotes = 1000;

interface Watcher {
  readonly notes: StepNote[];
  isNew: boolean;
  wake: () => void;
}

/** Passes a run's events and notes to everyone who iterates over it. */
export class Watchers {
  readonly #open = new Set<Watcher>();
  #isClosed = false;

  /** Something new is in the journal. */
  wake(): void {
    for (const watcher of this.#open) {
      watcher.isNew = true;
      watcher.wake();
    }
  }

  tell(note: StepNote): void {
    for (const { notes } of this.#open) if (notes.length < keptNotes) notes.push(note);
    this.wake();
  }

  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  /** Everything that `read` returns, and every note from now on, until the run is over. */
  iterate(read: () => Awaitable<RunEvent[]>): AsyncGenerator<RunEvent | StepNote, void> {
    const watcher: Watcher = { notes: [], isNew: true, wake: () => undefined };
    this.#open.add(watcher);
    return this.#follow(watcher, read);
  }

  async *#follow(watcher: Watcher, read: () => Awaitable<RunEvent[]>): AsyncGenerator<RunEvent | StepNote, void> {
    try {
      for (;;) {
        // Checked first, or what is written between the last read and the end would be missed.
        const isLast = this.#isClosed;
        watcher.isNew = false;
        // Taken first: a note comes after its step starts and before its step's end is journaled.
        const notes = watcher.notes.splice(0);
        const events = read();
        for (const event of isPromise(events) ? await events : events) {
          const isEnd = event.type === "step-finished" || event.type === "step-failed" || event.type === "run-ended";
          if (isEnd) yield* notes.splice(0);
          yield event;
        }
        yield* notes;
        if (isLast) return;
        if (watcher.isNew) continue;
        await new Promise<void>((resolve) => {
          watcher.wake = resolve;
        });
      }
    } finally {
      this.#open.delete(watcher);
    }
  }
}
