// Where runs are stored. The engine is the same for a folder of journals and for memory.
import type { Budget } from "./budget.ts";
import type { RunSummary } from "./engine.ts";
import type { BlobRef, Durability, JournalEntry, RunEvent, RunEventBody, RunOwner, StepNote } from "./events.ts";
import type { Json } from "./json.ts";
import type { Awaitable } from "./promises.ts";
import type { RunStatus } from "./run-state.ts";

/** A message from another process to the run's owner. */
export type RunMessage =
  | { readonly type: "signal"; readonly key: string; readonly value: Json; readonly at: number }
  | { readonly type: "cancel"; readonly at: number }
  | { readonly type: "budget"; readonly budget: Budget; readonly at: number };

export interface InboxEntry {
  readonly n: number;
  readonly message: RunMessage;
  /** Who sent it, if the store knows. */
  readonly by?: string;
}

/** The event that a message becomes when the run's owner reads it. */
export function eventOf({ n: inbox, message, by }: InboxEntry): RunEventBody {
  switch (message.type) {
    case "signal":
      return {
        type: "signal-received",
        key: message.key,
        value: message.value,
        sentAt: message.at,
        ...(by !== undefined && { by }),
        inbox,
      };
    case "budget":
      return { type: "budget-set", budget: message.budget, inbox };
    case "cancel":
      return { type: "run-cancel-requested", inbox };
  }
}

/** A run's journal, for its single writer. */
export interface RunLog {
  /** Appends the event as the next record, which is kept once `flushed` has resolved. */
  append(event: RunEvent): JournalEntry;
  /** Undefined if everything is kept already. Rejects if nothing more can be written. */
  flushed(): Promise<void> | undefined;
  /** So many records wait for the disk that the writer has to wait too. */
  readonly isFull: boolean;
  /** Stores the text of a value that is too large for a record. */
  saveBlob(text: string): Promise<BlobRef>;
  /** Adds a note to the transcript. It need not survive a crash of the machine. */
  tell(note: StepNote): void;
  /** Lets the next writer in. */
  close(): Awaitable<void>;
}

export interface OpenOptions {
  readonly durability: Durability;
  /** Called with every existing record. */
  readonly take: (entry: JournalEntry) => void;
  /** Called when new records have been kept. */
  readonly kept: () => void;
  /** Called when nothing more can be written. */
  readonly failed: (error: unknown) => void;
  /** The run's status after all that was appended, for a store that keeps it beside the journal. */
  readonly status: () => RunStatus;
}

/** A run that a worker may take. */
export interface ClaimableRun {
  readonly runId: string;
  /** As `stamp` returns it. */
  readonly stamp: string;
}

/** What is `Awaitable` may be answered at once; an engine waits only for what comes later. */
export interface RunStore {
  readonly name: string;
  /** False if the run exists already. */
  create(runId: string, event: RunEvent): Promise<boolean>;
  /** Rejects with `run-not-found`, `run-held` or `damaged`. */
  open(runId: string, options: OpenOptions): Promise<RunLog>;
  /** The records so far, even while the owner writes. Fails with `run-not-found` or `damaged`. */
  read(runId: string): Awaitable<JournalEntry[]>;
  /** A function that returns the records since its last call. */
  tail(runId: string, after: number): () => Awaitable<JournalEntry[]>;
  /** What was saved under this hash. Fails with `damaged` if it is something else, or gone. */
  loadBlob(runId: string, ref: BlobRef): Awaitable<Json>;
  /** The same at once. Only for a store that does not hold everything in memory anyway: large parts are then read when needed. */
  readBlob?(runId: string, ref: BlobRef): Json;
  /** A function that returns the transcript's notes since its last call. */
  notes(runId: string): () => Awaitable<StepNote[]>;
  /** Removes the transcript, unless `isDry`. Returns its size in bytes. */
  removeTranscript(runId: string, isDry: boolean): Awaitable<number>;
  /** `ignored`: a signal with this key exists already, among the messages after this number. */
  post(runId: string, message: RunMessage, after?: number): Promise<"kept" | "ignored">;
  inbox(runId: string, after: number): Awaitable<InboxEntry[]>;
  /** Calls back whenever this or another process may have added to the run's journal or inbox. */
  watch(runId: string, what: "journal" | "inbox", grown: () => void): () => void;
  /** Changes whenever the run does, and is cheap to read. Undefined if there is no such run. */
  stamp(runId: string): Awaitable<string | undefined>;
  ids(): Awaitable<string[]>;
  /** Bytes on disk. */
  size(runId: string): Awaitable<number>;
  /** The first and last event, without reading those in between. */
  ends(runId: string): Awaitable<{ readonly first: RunEvent; readonly last: RunEvent } | undefined>;
  /** Whether the process that last took the run still exists. */
  isAlive(runId: string, owner: RunOwner): Awaitable<boolean>;
  /** False if it was retried in the meantime. Rejects with `run-held`. */
  remove(runId: string): Promise<boolean>;
  /** All runs in one answer, the newest first. Without it, each run is read. */
  summaries?(): Promise<RunSummary[]>;
  /** The oldest runs on which something can be done now and no living process works. Without it, a worker tries every run. */
  claimable?(most: number): Promise<readonly ClaimableRun[]>;
  /** Calls back whenever there may be a run to take. Returns a function that stops that. */
  onWork?(wake: () => void): () => void;
  /** Ends its connections. What this process held is free. */
  close?(): Promise<void>;
}
