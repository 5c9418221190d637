// All that a picture of a run needs: its state, and what the state does not keep.
import { addUsage, nothingSpent, type Spent } from "@atomic/workflows/internal/run/budget";
import type { JournalEntry, RunEvent, StepNote } from "@atomic/workflows/internal/run/events";
import { outermostNode } from "@atomic/workflows/internal/run/fold/run-events";
import type { Json } from "@atomic/workflows/internal/run/json";
import { type RunFold, runFold } from "@atomic/workflows/internal/run/replay";
import type { RunState } from "@atomic/workflows/internal/run/run-state";

/** When a call of a run began and ended. */
export interface CallTimes {
  readonly startedAt: number;
  /** Undefined while it is under way. */
  readonly endedAt: number | undefined;
}

/** A time in which no process worked on the run. */
export interface IdleTime {
  readonly from: number;
  readonly to: number;
}

export interface RunView {
  readonly state: RunState;
  /** By the key of the step. */
  readonly spent: ReadonlyMap<string, Pick<Spent, "usd" | "tokens">>;
  readonly times: ReadonlyMap<string, CallTimes>;
  readonly idle: readonly IdleTime[];
  /** The last word of a running step, by its key. */
  readonly notes: ReadonlyMap<string, Json>;
}

/** Recorded when a run is taken up again, whenever they came. */
const letters: readonly RunEvent["type"][] = [
  "signal-received",
  "budget-set",
  "run-cancel-requested",
  "run-reopened",
  "run-revised",
  "run-claimed",
];

/** The view, event by event. */
export class RunViewer {
  readonly #fold: RunFold = runFold();
  readonly #spent = new Map<string, Spent>();
  readonly #times = new Map<string, CallTimes>();
  readonly #idle: IdleTime[] = [];
  readonly #notes = new Map<string, Json>();
  #workedAt: number | undefined;

  /** Undefined before the first event. Kept up to date: copy what has to stay. */
  get view(): RunView | undefined {
    const { state } = this.#fold;
    return state && { state, spent: this.#spent, times: this.#times, idle: this.#idle, notes: this.#notes };
  }

  take(entry: JournalEntry): void {
    const { event } = entry;
    this.#fold.take(entry);
    // A process that dies leaves no word: it counts as working until the last thing it recorded.
    if (event.type === "run-claimed" && this.#workedAt !== undefined) {
      this.#idle.push({ from: this.#workedAt, to: event.at });
    }
    if (!letters.includes(event.type)) this.#workedAt = event.at;
    switch (event.type) {
      case "usage":
        this.#spent.set(event.key, addUsage(this.#spent.get(event.key) ?? nothingSpent, event.usage));
        break;
      case "run-revised": {
        const { restart } = event;
        if (restart === undefined) break;
        for (const key of [...this.#times.keys()]) {
          if (!restart.keep.includes(outermostNode(key))) this.#times.delete(key);
        }
        break;
      }
      case "step-started":
      case "sleep-started":
      case "wait-started":
      case "fork-started":
        this.#begin(event.key, event.at);
        break;
      case "step-finished":
        // A local step is not announced.
        this.#begin(event.key, event.at - event.ms);
        this.#end(event.key, event.at);
        break;
      case "step-failed":
        this.#begin(event.key, event.at - event.ms);
        if (event.retryAt === undefined) this.#end(event.key, event.at);
        break;
      case "fork-ended":
        for (const key of [event.key, ...(event.abandoned ?? [])]) this.#end(key, event.at);
        break;
      case "sleep-ended":
      case "wait-ended":
        this.#end(event.key, event.at);
        break;
    }
  }

  note({ key, note }: StepNote): void {
    this.#notes.set(key, note);
  }

  #begin(key: string, at: number): void {
    // Of several attempts, or of a question that is asked again, the first one counts.
    this.#times.set(key, { startedAt: this.#times.get(key)?.startedAt ?? at, endedAt: undefined });
  }

  #end(key: string, at: number): void {
    this.#notes.delete(key);
    const { startedAt } = this.#times.get(key) ?? { startedAt: at };
    this.#times.set(key, { startedAt, endedAt: at });
  }
}

export function viewOf(entries: Iterable<JournalEntry>): RunView | undefined {
  const viewer = new RunViewer();
  for (const entry of entries) viewer.take(entry);
  return viewer.view;
}

/** How much of this time no process worked on the run. */
export function idleBetween(from: number, to: number, idle: readonly IdleTime[]): number {
  return idle.reduce((sum, time) => sum + Math.max(0, Math.min(to, time.to) - Math.max(from, time.from)), 0);
}
