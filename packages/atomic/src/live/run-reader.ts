import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { RunEvent, StepNote } from "@atomic/workflows/internal/run/events";
import { type RunView, RunViewer } from "../view/run-view.ts";

/** Hears of each event and note once, in order. The view already includes it. */
export interface RunListener {
  event(event: RunEvent, n: number, view: RunView): void;
  note(note: StepNote, view: RunView): void;
}

/** Reads a run that another process works on, piece by piece. */
export class RunReader {
  readonly #engine: LocalEngine;
  readonly #runId: string;
  readonly #viewer = new RunViewer();
  readonly #readNotes: () => Promise<StepNote[]>;
  /** Read, and not yet shown, because the journal could not be read. */
  #notes: StepNote[] = [];
  #seen: string | undefined;

  constructor(engine: LocalEngine, runId: string) {
    this.#engine = engine;
    this.#runId = runId;
    this.#readNotes = engine.notes(runId);
  }

  /** Undefined before the first event was read. */
  get view(): RunView | undefined {
    return this.#viewer.view;
  }

  /** Reads what is new. Returns whether the run has changed since the last time. */
  async read(listener?: RunListener): Promise<boolean> {
    const viewer = this.#viewer;
    const stamp = await this.#engine.stamp(this.#runId);
    // Read first: a note comes before the end of its step.
    this.#notes.push(...(await this.#readNotes()));
    const notes = this.#notes;
    const tellUntil = (at: number): void => {
      while (viewer.view !== undefined && notes[0] !== undefined && notes[0].at <= at) {
        const note = notes.shift()!;
        viewer.note(note);
        listener?.note(note, viewer.view);
      }
    };
    const hasChanged = stamp !== this.#seen || notes.length > 0;
    if (stamp !== this.#seen) {
      for await (const entry of this.#engine.journal(this.#runId, { after: viewer.view?.state.records ?? 0 })) {
        const { type, at } = entry.event;
        // What a step said belongs before its end, in the same millisecond too; and after its start.
        tellUntil(type === "step-started" ? at - 1 : at);
        viewer.take(entry);
        if (viewer.view !== undefined) listener?.event(entry.event, entry.n, viewer.view);
      }
    }
    tellUntil(Number.POSITIVE_INFINITY);
    this.#seen = stamp;
    return hasChanged;
  }
}
