// Where runs live. An engine is the same over a folder of journals and over memory.
import type { Budget } from "./budget.ts";
import type { Durability, JournalEntry, RunEvent, RunEventBody, RunOwner, Stored } from "./events.ts";
import type { Json } from "./json.ts";

/** A message from another process to the run's owner. */
export type RunMessage =
  | { readonly type: "signal"; readonly key: string; readonly value: Json; readonly at: number }
  | { readonly type: "cancel"; readonly at: number }
  | { readonly type: "budget"; readonly budget: Budget; readonly at: number };

export interface InboxEntry {
  readonly n: number;
  readonly message: RunMessage;
}

/** The event that a message becomes when the run's owner reads it. */
export function eventOf({ n: inbox, message }: InboxEntry): RunEventBody {
  switch (message.type) {
    case "signal":
      return { type: "signal-received", key: message.key, value: message.value, inbox };
    case "budget":
      return { type: "budget-set", budget: message.budget, inbox };
    case "cancel":
      return { type: "run-cancel-requested", inbox };
  }
}

/** A run's journal, for its only writer. */
export interface RunLog {
  /** Makes the event the next record; it is kept once `flushed` has resolved. */
  append(event: RunEvent): JournalEntry;
  /** Undefined if everything is kept already. Rejects if it cannot be: then nothing more can be written. */
  flushed(): Promise<void> | undefined;
  /** Whether so many records wait for the disk that the writer has to wait too. */
  readonly isFull: boolean;
  /** Keeps the text of a value that is too large for a record. */
  saveBlob(text: string): Promise<Stored>;
  /** Lets the next writer in. */
  close(): void;
}

export interface OpenOptions {
  readonly durability: Durability;
  /** Every record that is there. */
  readonly take: (entry: JournalEntry) => void;
  /** There are new records that are kept. */
  readonly kept: () => void;
  /** Nothing more can be written. */
  readonly failed: (error: unknown) => void;
}

export interface RunStore {
  readonly name: "embedded" | "memory";
  /** False if there is such a run. */
  create(runId: string, event: RunEvent): Promise<boolean>;
  /** Rejects with `run-not-found`, `run-held` or `damaged`. */
  open(runId: string, options: OpenOptions): Promise<RunLog>;
  /** The records so far, even while the owner writes. Throws `run-not-found` or `damaged`. */
  read(runId: string): JournalEntry[];
  /** The records that have come since: a function that gives them at each call. */
  tail(runId: string, after: number): () => JournalEntry[];
  loadBlob(runId: string, stored: Extract<Stored, { blob: string }>): Json;
  /** `ignored`: a signal with this key is there already. */
  post(runId: string, message: RunMessage): Promise<"kept" | "ignored">;
  inbox(runId: string, after: number): InboxEntry[];
  /** Calls back whenever the run's journal or inbox may have grown, also by another process. */
  watch(runId: string, what: "journal" | "inbox", grown: () => void): () => void;
  /** Changes whenever the run does, and is cheap to read. Undefined if there is no such run. */
  stamp(runId: string): string | undefined;
  ids(): string[];
  /** Bytes on disk. */
  size(runId: string): number;
  /** First and last event, without reading those in between. */
  ends(runId: string): { readonly first: RunEvent; readonly last: RunEvent } | undefined;
  /** Whether the process that last took the run still exists. */
  isAlive(runId: string, owner: RunOwner): boolean;
  /** False if it has been taken up again in the meantime. Rejects with `run-held`. */
  remove(runId: string): Promise<boolean>;
}
