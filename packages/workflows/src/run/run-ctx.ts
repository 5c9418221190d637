// The seam between the interpreter and any engine. Its rules:
//
// 1. Node and user code runs only inside `step`. Decisions, the time and random values are steps too (`local`).
//    Between two calls only the interpreter runs.
// 2. Keys are paths (`fan.1/L#3/work`), unique in the run.
// 3. A parallel branch with more than one call is always a branch of `fork`.
// 4. The graph is stored with the run; replay reads the stored one.
// 5. Steps happen at least once; `idemKey` is the same for every attempt.
// 6. An engine cannot stop a running step: it fires the step's `AbortSignal`.
// 7. Signals are a mailbox per run and key: the first one counts, even before a step waits for it.
// 8. Results are JSON with a cap; large ones are kept beside the journal.
// 9. A run for workers elsewhere names its workspace.
import type { Budget, Usage } from "./budget.ts";
import type { Join } from "./events.ts";
import type { Json } from "./json.ts";

export interface StepInfo {
  /** From 1; attempts that ended with the process count. */
  readonly attempt: number;
  /** The same for every attempt at this step of this run, and for no other step. */
  readonly idemKey: string;
  /** Fires when the run is cancelled, stops, times out …; the reason is a `StepAbortedError` or a `StepTimeoutError`. */
  readonly signal: AbortSignal;
  /** Tells those who watch what is going on, and is a sign of life. Not journaled. */
  readonly note: (note: Json) => void;
  /** Counts towards the budgets, and is a sign of life. */
  readonly spend: (usage: Usage) => void;
  /**
   * Puts a question to a person and resolves with the answer: the value of the signal whose key is that of the question,
   * from any process. Meanwhile no time of the attempt is counted. Rejects when the attempt is aborted.
   *
   * The question is open as long as the attempt. A later attempt that asks the same (an equal `about`; of several, the
   * same one in order) asks under the same key: what was answered before, or in between, is its answer.
   */
  readonly ask: (about: Json) => Promise<Json>;
}

export interface StepOptions {
  /** Further attempts after a failure. Default 0. */
  readonly retries?: number;
  readonly backoff?: Backoff;
  /** Longest time of one attempt, without what its questions wait for an answer. */
  readonly timeoutMs?: number;
  /** Longest time of one attempt without `note`, `spend` or an open question. */
  readonly idleMs?: number;
  /** Waits for a free place in this queue of the engine; a step that asks leaves its place to others. */
  readonly queue?: string;
  /**
   * Of this step alone, over all its attempts in whatever process; `steps` are its attempts. Used up, the step fails. How
   * long an attempt was at work whose process ended before it is not known, and not counted.
   */
  readonly budget?: Budget;
  /**
   * The step touches nothing outside this process: a decision, the time, a random number. It is not announced, and its
   * result is on disk before the next step that is not local starts.
   */
  readonly local?: boolean;
}

export interface Backoff {
  /** Before the second attempt. Default 1,000. */
  readonly ms?: number;
  /** Default 2. */
  readonly factor?: number;
  /** Default 60,000. */
  readonly maxMs?: number;
}

export interface WaitOptions {
  readonly timeoutMs?: number;
  /** Shown to the person who is to answer. */
  readonly about?: Json;
}

export type WaitResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** A branch makes its calls on the context that it is given. */
export type Branch = (ctx: RunCtx) => Promise<Json>;

export interface ForkOptions {
  /** How many branches run at a time. Default: all. */
  readonly limit?: number;
}

export interface RunCtx {
  readonly runId: string;
  /** The result of `fn`, of this or an earlier attempt. Rejects with `StepFailedError` after the last one. */
  step<T extends Json>(key: string, fn: (info: StepInfo) => Promise<T> | T, options?: StepOptions): Promise<T>;
  sleep(key: string, ms: number): Promise<void>;
  wait<T extends Json>(key: string, options?: WaitOptions): Promise<WaitResult<T>>;
  /**
   * `all`: every value in order, or the first failure. `settled`: `{ ok, value }` or `{ ok, error }` of each in order.
   * `any`: `[value, index]` of the first that succeeds. `race`: of the first that ends, rejecting if it failed.
   * Branches that are no longer needed are aborted.
   */
  fork(key: string, branches: readonly Branch[], join: Join, options?: ForkOptions): Promise<Json[]>;
}
