// Everything that happens to a run, in its journal's order. A run's state is a fold of these events (replay.ts).
import type { Budget, Exceeded, Usage } from "./budget.ts";
import type { Json } from "./json.ts";
import type { ErrorRecord } from "./step-errors.ts";

/** A value in a journal. If it is too large for a line, it has its own file, or its large parts have theirs. */
export type Stored =
  | { readonly value: Json }
  | StoredBlob
  /** `rest` has `null` where a part belongs. */
  | { readonly rest: Json; readonly parts: readonly StoredPart[] };

/** The JSON that is kept under its hash, as it was written. */
export interface BlobRef {
  readonly blob: `sha256:${string}`;
  readonly bytes: number;
}

/** `split`: the kept JSON is not the value, but its `rest` and its `parts`. */
type StoredBlob = BlobRef & { readonly split?: true };

export type StoredPart = StoredBlob & { readonly at: readonly (string | number)[] };

export type Join = "all" | "settled" | "any" | "race";

export interface RunOwner {
  readonly pid: number;
  readonly host: string;
}

/** How a branch ended. */
export type BranchEnding =
  | { readonly ok: true; readonly result: Stored }
  | { readonly ok: false; readonly error: ErrorRecord };

export type RunOutcome =
  | { readonly kind: "done"; readonly result: Stored }
  | { readonly kind: "failed"; readonly error: ErrorRecord }
  | { readonly kind: "cancelled" };

/** How a fork ended. Its branches have the values; `winner` is the branch that decided (`any`, `race`). */
export type ForkEnding =
  | { readonly ok: true; readonly winner?: number }
  | { readonly ok: false; readonly error: ErrorRecord };

/** An event without its time. */
export type RunEventBody =
  | RunCreated
  /** A process works on the run from now on. */
  | { readonly type: "run-claimed"; readonly owner: RunOwner; readonly durability: Durability }
  /** The owner stopped on purpose. Without this event, the next owner knows that the last one died. */
  | RunReleased
  /** Someone asked to cancel the run. It has ended once its steps have stopped. */
  | { readonly type: "run-cancel-requested"; readonly inbox: number }
  /** The run is done, has failed or was cancelled. */
  | { readonly type: "run-ended"; readonly outcome: RunOutcome }
  /** A failed run is retried: what failed for good may run again. */
  | { readonly type: "run-reopened"; readonly inbox?: number }
  | RunRevised
  | RunPaused
  /** The pause is over. */
  | { readonly type: "run-resumed" }
  /** Someone changed the run's limits. */
  | { readonly type: "budget-set"; readonly budget: Budget; readonly inbox: number }
  /** A limit is reached, so the run stops until it is raised. */
  | { readonly type: "budget-exceeded"; readonly exceeded: Exceeded; readonly busyMs?: number }
  /** What a step has used, in addition to what it had used before. */
  | { readonly type: "usage"; readonly key: string; readonly usage: Usage }
  | SignalReceived
  /** An attempt at a step begins. */
  | { readonly type: "step-started"; readonly key: string; readonly attempt: number }
  | StepFinished
  | StepFailed
  /** The run, or a branch of it, does nothing until a date. */
  | { readonly type: "sleep-started"; readonly key: string; readonly ms: number; readonly until: number }
  /** The date has come. */
  | { readonly type: "sleep-ended"; readonly key: string }
  | WaitStarted
  /** The answer is there (`ok`), or it came too late. */
  | { readonly type: "wait-ended"; readonly key: string; readonly ok: boolean }
  /** Several branches begin. */
  | { readonly type: "fork-started"; readonly key: string; readonly branches: number; readonly join: Join }
  /** One of the branches has ended. */
  | { readonly type: "branch-ended"; readonly key: string; readonly index: number; readonly ending: BranchEnding }
  | ForkEnded;

interface RunReleased {
  readonly type: "run-released";
  readonly busyMs?: number;
  /** Nothing could be done: every branch waited for an answer, or until this date at the latest. */
  readonly rests?: { readonly until?: number };
}

/** An answer, or another message to the run, was taken from its inbox. */
interface SignalReceived {
  readonly type: "signal-received";
  readonly key: string;
  readonly value: Json;
  /** When it was sent, which may be long before it was read. Older versions did not record it. */
  readonly sentAt?: number;
  /** Who sent it, if the store knows. */
  readonly by?: string;
  readonly inbox: number;
}

/** The first event of every run. */
export interface RunCreated {
  readonly type: "run-created";
  readonly version: 1;
  readonly runId: string;
  /** The program. Replay reads this copy, never the file that it came from. */
  readonly graph: Json;
  readonly input: Json;
  /** Names the order of calls that the journal follows. */
  readonly interpreter: string;
  readonly budget?: Budget;
  readonly name?: string;
  /** Where the work happens, for workers on other machines: a repository and a commit. */
  readonly workspace?: Json;
  /** The hosts that a worker needs for it. */
  readonly needs?: readonly string[];
}

/** `step`: a step starts once its record is on disk. `turn`: one write for everything in a turn of the event loop. */
export type Durability = "step" | "turn";

/** A step has a result, and never runs again. */
interface StepFinished {
  readonly type: "step-finished";
  readonly key: string;
  readonly attempt: number;
  readonly result: Stored;
  /** How long the attempt took. */
  readonly ms: number;
  /** Time with at least one step running that no earlier event has counted. */
  readonly busyMs?: number;
}

/** An attempt at a step has failed. */
interface StepFailed {
  readonly type: "step-failed";
  readonly key: string;
  readonly attempt: number;
  readonly error: ErrorRecord;
  readonly ms: number;
  /** The part of `ms` that counts towards the step's budget, if questions waited for an answer. */
  readonly workMs?: number;
  readonly busyMs?: number;
  /** When the next attempt is due. Without it, this was the last one. */
  readonly retryAt?: number;
  /** The provider asked for a pause, so this is not the step's failure. */
  readonly isRateLimit?: true;
}

/** The workflow has changed, and the run continues with that. */
export interface RunRevised {
  readonly type: "run-revised";
  /** What the workspace is from now on. */
  readonly workspace: Json;
  /** The last message that the run had got before. */
  readonly inbox?: number;
  /** The run continues with another graph. Without it, only the functions have changed. */
  readonly restart?: GraphRestart;
}

interface GraphRestart {
  readonly graph: Json;
  /** The first node that runs anew, for display. */
  readonly from: string;
  /** The outermost nodes whose calls are kept. All others are forgotten, with their answers. */
  readonly keep: readonly string[];
}

/** A provider asked for a pause: no step starts before the date. */
interface RunPaused {
  readonly type: "run-paused";
  readonly key: string;
  readonly reason: string;
  readonly ms: number;
  readonly until: number;
}

/** The branches have been joined. */
interface ForkEnded {
  readonly type: "fork-ended";
  readonly key: string;
  readonly ending: ForkEnding;
  /** The calls of other branches that were still open. */
  readonly abandoned?: readonly string[];
}

/** The run, or a branch of it, waits for an answer. */
interface WaitStarted {
  readonly type: "wait-started";
  readonly key: string;
  /** How long it may wait, and until when. */
  readonly ms?: number;
  readonly until?: number;
  /** Shown to the person who answers: a question, a form, … */
  readonly about?: Json;
  /** The step whose attempt asks. The question closes when the attempt ends. */
  readonly step?: string;
}

/** `at` is in milliseconds since 1970. Only the order of records says what came first. */
export type RunEvent = RunEventBody & { readonly at: number };

/** A record of a journal. */
export interface JournalEntry {
  readonly n: number;
  readonly event: RunEvent;
}

/** What a running step reports to watchers. It is never journaled, but kept in the run's transcript. */
export interface StepNote {
  readonly type: "step-note";
  readonly key: string;
  readonly note: Json;
  readonly at: number;
}
