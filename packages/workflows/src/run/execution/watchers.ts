import type { RunEvent, StepNote } from "../events.ts";

/** A slow watcher may miss notes, never events: those it reads from the journal. */
const keptNotes = 1000;

interface Watcher {
  readonly notes: StepNote[];
  isNew: boolean;
  wake: () => void;
}

/** Those who watch a run. */
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

  /** Everything that `read` gives, and every note from now on, until it is over. */
  iterate(read: () => RunEvent[]): AsyncGenerator<RunEvent | StepNote, void> {
    const watcher: Watcher = { notes: [], isNew: true, wake: () => undefined };
    this.#open.add(watcher);
    return this.#follow(watcher, read);
  }

  async *#follow(watcher: Watcher, read: () => RunEvent[]): AsyncGenerator<RunEvent | StepNote, void> {
    try {
      for (;;) {
        // Asked first: what is written between the last look and the end would be missed.
        const isLast = this.#isClosed;
        watcher.isNew = false;
        // Taken first: notes come after the beginning of their step and before its end is journaled.
        const notes = watcher.notes.splice(0);
        for (const event of read()) {
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
