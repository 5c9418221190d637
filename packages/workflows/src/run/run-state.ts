// The state of a run: a fold of its events. Types only; the fold is in replay.ts.
import type { Budget, Exceeded, Spent } from "./budget.ts";
import type { BranchEnding, Durability, ForkEnding, Join, RunOutcome, RunOwner, Stored } from "./events.ts";
import type { Json } from "./json.ts";
import type { ErrorRecord } from "./step-errors.ts";

export type RunStatus =
  /** No process works on it: it was just created, or released. */
  | { readonly kind: "pending" }
  | { readonly kind: "running"; readonly owner: RunOwner }
  /** Its owner died. The next process that takes it resumes it. */
  | { readonly kind: "interrupted"; readonly owner: RunOwner }
  /** Every branch waits for a signal or a date. */
  | { readonly kind: "waiting"; readonly for: readonly OpenWait[]; readonly owner: RunOwner }
  | { readonly kind: "paused"; readonly reason: string; readonly until: number; readonly ms: number }
  /** Its budget is used up. Raise it to continue. */
  | { readonly kind: "stopped"; readonly exceeded: Exceeded; readonly reason: string }
  | { readonly kind: "cancelling" }
  | (RunOutcome & { readonly at: number })
  | { readonly kind: "damaged"; readonly reason: string };

export type OpenWait =
  | {
      readonly kind: "signal";
      readonly key: string;
      readonly until?: number;
      readonly about?: Json;
      readonly step?: string;
    }
  | { readonly kind: "date"; readonly key: string; readonly until: number };

export type CallState = StepState | SleepState | WaitState | ForkState;

export interface StepState {
  readonly kind: "step";
  readonly phase:
    | { readonly kind: "running"; readonly since: number }
    | { readonly kind: "retrying"; readonly at: number; readonly error: ErrorRecord }
    | { readonly kind: "finished"; readonly result: Stored; readonly ms: number }
    | { readonly kind: "failed"; readonly error: ErrorRecord; readonly ms: number }
    /** The process that ran it is gone, or released the run. */
    | { readonly kind: "interrupted" }
    | { readonly kind: "abandoned" };
  readonly attempt: number;
  /** Attempts that failed, not counting those that ended with their process. */
  readonly failures: number;
  /** Attempts in a row that ended with their process. */
  readonly crashes: number;
  /** What it has used. The running attempt counts only with what it has reported. Undefined: nothing. */
  readonly spent?: Spent;
  /** The part of `spent` that attempts which failed have used. */
  readonly spentByFailures?: Spent;
  /** The keys of its attempts' questions. */
  readonly questions?: readonly string[];
}

interface SleepState {
  readonly kind: "sleep";
  readonly ms: number;
  readonly until: number;
  readonly phase: "open" | "ended" | "abandoned";
}

export interface WaitState {
  readonly kind: "wait";
  readonly ms?: number;
  readonly until?: number;
  readonly about?: Json;
  /** The running step that asks. */
  readonly step?: string;
  /** When the answer was sent. */
  readonly answeredAt?: number;
  /** `closed`: the attempt that asked has ended, and the next one may ask again. */
  readonly phase: "open" | "signalled" | "timed-out" | "closed" | "abandoned";
}

export interface ForkState {
  readonly kind: "fork";
  readonly join: Join;
  /** By index; undefined while a branch is open. */
  readonly branches: readonly (BranchEnding | undefined)[];
  /** How many branches have ended. */
  readonly ended: number;
  readonly phase: "open" | "ended" | "abandoned";
  readonly ending?: ForkEnding;
  readonly abandoned?: readonly string[];
}

export interface RunState {
  readonly runId: string;
  readonly name: string | undefined;
  readonly graph: Json;
  readonly input: Json;
  readonly interpreter: string;
  readonly workspace: Json | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly status: RunStatus;
  /** Everything that the run waits for, even while other branches work. */
  readonly waits: readonly OpenWait[];
  readonly durability: Durability | undefined;
  readonly budget: Budget;
  readonly spent: Spent;
  /** Every call by its key, in the order of their starts. */
  readonly calls: ReadonlyMap<string, CallState>;
  readonly signals: ReadonlyMap<string, Json>;
  /** What steps have asked that was answered with `always`. */
  readonly always: readonly Json[];
  /** How many times a process has taken the run. */
  readonly claims: number;
  /** The number of the last inbox message in the journal. */
  readonly inbox: number;
  /** The number of the last inbox message when nodes were last restarted: their questions can be answered again. */
  readonly restartedAt: number;
  /** The last message before the run was retried after a failure: until then, a cancellation does not count. */
  readonly retriedAt: number;
  /** The number of the last record. */
  readonly records: number;
}
