import type { RunEvent, StepNote } from "../events.ts";

/** A slow watcher may miss notes, never events: those it reads from the journal. */
const keptNotes = 1000;

/** Those who watch a run. */
export class Watchers {
  readonly #open = new Set<{ wake: () => void; notes: StepNote[] }>();
  #isClosed = false;

  /** Something new is in the journal. */
  wake(): void {
    for (const watcher of this.#open) watcher.wake();
  }

  tell(note: StepNote): void {
    for (const watcher of this.#open) {
      if (watcher.notes.length < keptNotes) watcher.notes.push(note);
      watcher.wake();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  /** Everything that `read` gives, and every note, until it is over. */
  async *iterate(read: () => RunEvent[], isOver: () => boolean): AsyncGenerator<RunEvent | StepNote, void> {
    let isNew = true;
    let wake = (): void => undefined;
    const watcher = {
      notes: [] as StepNote[],
      wake: () => {
        isNew = true;
        wake();
      },
    };
    this.#open.add(watcher);
    try {
      for (;;) {
        // Asked first: what is written between the last look and the end would be missed.
        const isLast = isOver() && this.#isClosed;
        isNew = false;
        yield* read();
        yield* watcher.notes.splice(0);
        if (isLast) return;
        if (isNew) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#open.delete(watcher);
    }
  }
}
