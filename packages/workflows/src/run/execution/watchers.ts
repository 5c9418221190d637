import type { RunEvent, StepNote } from "../events.ts";

/** A slow watcher may miss notes, never events: those it reads from the journal. */
const keptNotes = 1000;

/** Those who watch a run. */
export class Watchers {
  readonly #open = new Set<Watcher>();
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

  /** Everything that `read` gives, and every note from now on, until it is over. */
  iterate(read: () => RunEvent[]): AsyncGenerator<RunEvent | StepNote, void> {
    const watcher = new Watcher();
    this.#open.add(watcher);
    return this.#follow(watcher, read);
  }

  async *#follow(watcher: Watcher, read: () => RunEvent[]): AsyncGenerator<RunEvent | StepNote, void> {
    try {
      for (;;) {
        // Asked first: what is written between the last look and the end would be missed.
        const isLast = this.#isClosed;
        watcher.isNew = false;
        // Notes first: they were said before the step's end was journaled.
        const notes = watcher.notes.splice(0);
        const events = read();
        yield* inOrder(events, notes);
        if (isLast) return;
        await watcher.news();
      }
    } finally {
      this.#open.delete(watcher);
    }
  }
}

class Watcher {
  notes: StepNote[] = [];
  isNew = true;
  #wake: () => void = () => undefined;

  wake(): void {
    this.isNew = true;
    this.#wake();
  }

  async news(): Promise<void> {
    if (this.isNew) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** A note comes after the beginning of its step and before its end. */
function* inOrder(events: readonly RunEvent[], notes: readonly StepNote[]): Generator<RunEvent | StepNote, void> {
  let left = notes;
  for (const event of events) {
    const isEnd = event.type === "step-finished" || event.type === "step-failed" || event.type === "run-ended";
    if (isEnd) {
      yield* left;
      left = [];
    }
    yield event;
  }
  yield* left;
}
