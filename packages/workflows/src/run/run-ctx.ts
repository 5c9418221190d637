// The interface between the interpreter and any engine. Its rules:
//
// 1. Node and user code runs only inside `step`. Decisions, the time and random values are steps too (`local`).
//    Between two calls only the interpreter runs.
// 2. Keys are paths (`fan.1/L#3/work`), unique in the run.
// 3. A parallel branch with more than one call is always a branch of `fork`.
// 4. The graph is stored with the run; replay reads the stored one.
// 5. Steps happen at least once; `idemKey` is the same for every attempt.
// 6. An engine cannot stop a running step; it fires the step's `AbortSignal`.
// 7. Signals are a mailbox per run and key: the first one counts, even before a step waits for it.
// 8. Results are JSON up to a maximum size; large ones are kept next to the journal.
// 9. A run for workers on other machines names its workspace.
import type { Budget, Spent, Usage } from "./budget.ts";
import type { Join } from "./events.ts";
import type { Json } from "./json.ts";

/** The answer that also counts for later questions of a run's steps. */
export const always = "always";

export interface StepInfo {
  /** The project that the run works in. Use it instead of the process's current folder, which may be another one. */
  readonly folder: string;
  /** Starts at 1, and includes attempts that ended with their process. */
  readonly attempt: number;
  /** The same for every attempt at this step of this run, and different for every other step. */
  readonly idemKey: string;
  /** What attempts that ended with their process have spent, since the last attempt that failed. */
  readonly countedBefore: Readonly<Pick<Spent, "usd" | "tokens">>;
  /** Fires when the run is cancelled, stops, times out …; the reason is a `StepAbortedError` or a `StepTimeoutError`. */
  readonly signal: AbortSignal;
  /** Reports progress to watchers, and is a sign of life. Kept in the run's transcript, but not journaled. */
  readonly note: (note: Json) => void;
  /** Counts towards the budgets, and is a sign of life. */
  readonly spend: (usage: Usage) => void;
  /**
   * Asks a person and resolves with the answer: the value of the signal with the question's key, from any process. The
   * attempt's time stops meanwhile. Rejects when the attempt is aborted.
   *
   * The question stays open as long as the attempt. A later attempt that asks the same question (an equal `about`; several
   * are matched in order) uses the same key, so an answer that came before, or in between, is its answer.
   *
   * The answer `always` is kept for the rest of the run: a question is not asked if `covers` returns true for the `about` of
   * one that any step has asked and that was answered so.
   */
  readonly ask: (about: Json, covers?: (earlier: Json) => boolean) => Promise<Json>;
}

export interface StepOptions {
  /** Further attempts after a failure. Default 0. */
  readonly retries?: number;
  readonly backoff?: Backoff;
  /** The longest time of one attempt, not counting time that its questions wait for answers. */
  readonly timeoutMs?: number;
  /** The longest time of one attempt without `note`, `spend` or an open question. */
  readonly idleMs?: number;
  /** Waits for a free slot in this queue of the engine. A step that asks a question gives up its slot meanwhile. */
  readonly queue?: string;
  /**
   * The budget of this step alone, for all its attempts in any process; `steps` are its attempts. When it is used up, the
   * step fails. The working time of an attempt whose process died is not known, and does not count.
   */
  readonly budget?: Budget;
  /**
   * The step touches nothing outside this process: a decision, the time, a random number. Its start is not recorded, and its
   * result is on disk before the next step that is not local starts.
   */
  readonly local?: boolean;
  /** Large parts of the result may be `LargePart`s, which are not in memory. */
  readonly large?: boolean;
}

export interface Backoff {
  /** The wait before the second attempt. Default 1,000. */
  readonly ms?: number;
  /** Default 2. */
  readonly factor?: number;
  /** Default 60,000. */
  readonly maxMs?: number;
}

export interface WaitOptions {
  readonly timeoutMs?: number;
  /** Shown to the person who answers. */
  readonly about?: Json;
}

export type WaitResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** A branch makes its calls on the context that it receives. */
export type Branch = (ctx: RunCtx) => Promise<Json>;

export interface ForkOptions {
  /** How many branches run at a time. Default: all. */
  readonly limit?: number;
  /** Large parts of the values may be `LargePart`s, which are not in memory. */
  readonly large?: boolean;
}

export interface RunCtx {
  readonly runId: string;
  /** The result of `fn`, from this or an earlier attempt. Rejects with `StepFailedError` after the last attempt. */
  step<T extends Json>(key: string, fn: (info: StepInfo) => Promise<T> | T, options?: StepOptions): Promise<T>;
  sleep(key: string, ms: number): Promise<void>;
  wait<T extends Json>(key: string, options?: WaitOptions): Promise<WaitResult<T>>;
  /**
   * `all`: every value in order, or the first failure. `settled`: `{ ok, value }` or `{ ok, error }` for each in order.
   * `any`: `[value, index]` of the first that succeeds. `race`: the same for the first that ends; rejects if it failed.
   * Branches that are no longer needed are aborted.
   */
  fork(key: string, branches: readonly Branch[], join: Join, options?: ForkOptions): Promise<Json[]>;
}
