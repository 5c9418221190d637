import { nothingSpent } from "../budget.ts";
import { remaining } from "../clock.ts";
import type { Json } from "../json.ts";
import { isPromise, never } from "../promises.ts";
import type { Backoff, StepInfo, StepOptions } from "../run-ctx.ts";
import { isNotReady } from "../run-error.ts";
import type { StepState } from "../run-state.ts";
import {
  type AbortReason,
  type ErrorRecord,
  PermanentError,
  RateLimitError,
  recordError,
  StepFailedError,
} from "../step-errors.ts";
import type { Abortable, AbortScope } from "./abort-scope.ts";
import { Attempt, type AttemptedStep } from "./attempt.ts";
import { checkStepOptions } from "./check-options.ts";
import type { ClaimedRun, KeptValue } from "./claimed-run.ts";
import { Questions } from "./questions.ts";
import { QueueSlot } from "./slots.ts";
import { StepBudget } from "./step-budget.ts";

type StepFunction = (info: StepInfo) => Promise<Json> | Json;

/** The shortest pause for a rate limit: after a shorter one, the provider would only refuse again. */
const shortestPauseMs = 1000;

/** A delay is journaled as a date, so it must stay in a date's range. */
const longestDelayMs = 365 * 24 * 3600_000;

/** Milliseconds to wait after this many failures. */
export function delayAfter(failures: number, { ms = 1000, factor = 2, maxMs = 60_000 }: Backoff = {}): number {
  return Math.min(longestDelayMs, maxMs, ms * Math.min(factor ** (failures - 1), Number.MAX_VALUE));
}

export function callStep(
  run: ClaimedRun,
  scope: AbortScope,
  key: string,
  fn: StepFunction,
  options: StepOptions,
): Promise<Json> {
  if (scope.frozen !== undefined) return never();
  try {
    checkStepOptions(key, options);
  } catch (refusal) {
    return Promise.reject(refusal); // `bad-request`
  }
  const call = run.beginCall(key, "step");
  if (call === "refused") return never();
  if (call?.phase.kind === "finished") {
    run.fold.forget(key);
    const loaded = run.load(call.phase.result, options.large);
    if (isPromise(loaded)) return loaded.then((late) => (late === undefined ? never() : late.value));
    return loaded === undefined ? never() : Promise.resolve(loaded.value);
  }
  if (call?.phase.kind === "failed") {
    run.fold.forget(key);
    return Promise.reject(new StepFailedError(key, call.phase.error, call.attempt));
  }
  return new StepCall(run, scope, key, fn, options, call).start();
}

/** The outcome of an attempt. */
type Tried = { readonly value: Json } | { readonly error: StepFailedError } | "again" | "stopped";

/** A step until it ends: as many attempts as it needs and may have. */
class StepCall implements AttemptedStep, Abortable {
  readonly run: ClaimedRun;
  readonly key: string;
  readonly options: StepOptions;
  readonly budget: StepBudget | undefined;
  countedBefore: StepInfo["countedBefore"] = nothingSpent;
  readonly #scope: AbortScope;
  readonly #fn: StepFunction;
  #attempt: number;
  #running: Attempt | undefined;
  #began = 0;
  #failures: number;
  /** Milliseconds since 1970. */
  #notBefore: number | undefined;
  readonly #crashes: number;
  /** Its slot in the step's queue, if it has one. */
  readonly #slot: QueueSlot | undefined;

  constructor(
    run: ClaimedRun,
    scope: AbortScope,
    key: string,
    fn: StepFunction,
    options: StepOptions,
    known: StepState | undefined,
  ) {
    this.run = run;
    this.#scope = scope;
    this.key = key;
    this.#fn = fn;
    this.options = options;
    this.budget = options.budget && new StepBudget(options.budget, known?.spent);
    if (known?.spent !== undefined) {
      const { usd, tokens } = known.spentByFailures ?? nothingSpent;
      this.countedBefore = { usd: known.spent.usd - usd, tokens: known.spent.tokens - tokens };
    }
    this.#attempt = known?.attempt ?? 0;
    this.#failures = known?.failures ?? 0;
    this.#crashes = known?.crashes ?? 0;
    this.#notBefore = known?.phase.kind === "retrying" ? known.phase.at : undefined;
    const queue = options.queue === undefined ? undefined : run.options.queues.get(options.queue);
    this.#slot = queue && new QueueSlot(queue);
  }

  questions(onWaiting: (isWaiting: boolean) => void): Questions {
    if (this.options.local === true) {
      throw new PermanentError("a step that runs only in this process cannot ask questions", { code: "local" });
    }
    return new Questions({
      run: this.run,
      step: this.key,
      frozen: () => this.#scope.frozen,
      onWaiting: (isWaiting) => {
        if (isWaiting) this.#slot?.give();
        this.run.setStepWaiting(this, isWaiting);
        onWaiting(isWaiting);
      },
      mayContinue: async (isOver) => {
        await this.run.options.parking.leave();
        if (!isOver()) await this.#slot?.take();
      },
    });
  }

  abort(why: AbortReason): void {
    this.#running?.abort(why);
  }

  /** The fast path: a step that waits for nothing needs no promise but the one it returns, and cannot be aborted. */
  start(): Promise<Json> {
    if (this.#crashes >= this.run.options.maxCrashes) {
      const message = `the process ended during each of the last ${this.#crashes} attempts`;
      return Promise.reject(this.#failForGood(new PermanentError(message, { code: "crashed" }), 0).error);
    }
    const tried = this.#try();
    if (tried instanceof Promise || tried === "again") {
      this.#scope.opened(this.key, this);
      return this.#tryUntilEnd(tried);
    }
    if (tried === "stopped") return never();
    return "error" in tried ? Promise.reject(tried.error) : Promise.resolve(tried.value);
  }

  async #tryUntilEnd(first: Promise<Tried> | Tried): Promise<Json> {
    for (let next = first; ; next = this.#try()) {
      const tried = await next;
      if (tried === "again") continue;
      if (tried === "stopped") return await never();
      if ("error" in tried) throw tried.error;
      return tried.value;
    }
  }

  #try(): Promise<Tried> | Tried {
    const ready = this.#ready();
    return ready === undefined ? this.#announce() : ready.then(() => this.#announce());
  }

  /** Waits for the retry date, the end of a pause, the run's slot in the worker and the queue's slot. Undefined: no wait. */
  #ready(): Promise<void> | undefined {
    const { run } = this;
    let wait: Promise<void> | undefined;
    if (this.#notBefore !== undefined) {
      const longest = delayAfter(this.#failures, this.options.backoff);
      const ms = remaining(run.clock, this.#notBefore, longest);
      this.#notBefore = undefined;
      if (ms > 0) wait = run.sleep(ms);
    }
    wait ??= run.pauseOver ?? run.options.parking.leave() ?? run.letOthersIn();
    return wait === undefined ? this.#slot?.take() : wait.then(() => this.#ready());
  }

  /** Records the start before the effect: a process that has lost the run notices here. */
  #announce(): Promise<Tried> | Tried {
    const { run, key } = this;
    const isLocal = this.options.local === true;
    if (this.#scope.frozen !== undefined || !(isLocal || run.mayStart())) {
      this.#slot?.give();
      return "stopped";
    }
    const attempt = ++this.#attempt;
    if (isLocal) return this.#runAttempt();
    run.record({ type: "step-started", key, attempt, at: run.clock.now() });
    const kept = run.options.durability === "step" ? run.kept() : undefined;
    if (kept === undefined) return this.#runAttempt();
    return kept.then(() => {
      if (this.#scope.frozen === undefined) return this.#runAttempt();
      this.#slot?.give();
      return "stopped";
    });
  }

  #runAttempt(): Promise<Tried> | Tried {
    const attempt = new Attempt(this, this.#attempt);
    this.#running = attempt;
    this.#began = this.run.clock.monotonic();
    if (this.options.local !== true) this.run.beginStep(this.#began);
    try {
      const returned = attempt.run(this.#fn);
      if (isPromise(returned)) return this.#awaitAttempt(attempt, returned);
      const kept = this.run.store(returned, this.options.large);
      if (kept instanceof Promise) return kept.then((stored) => this.#end(attempt, stored));
      return this.#end(attempt, kept);
    } catch (thrown) {
      return this.#end(attempt, { thrown });
    }
  }

  async #awaitAttempt(attempt: Attempt, returned: PromiseLike<Json>): Promise<Tried> {
    let settled: KeptValue | { readonly thrown: unknown };
    try {
      settled = await this.run.store(await returned, this.options.large);
    } catch (thrown) {
      settled = { thrown };
    }
    return this.#end(attempt, settled);
  }

  #end(ended: Attempt, settled: KeptValue | { readonly thrown: unknown }): Tried {
    const { run, key } = this;
    const now = run.clock.monotonic();
    ended.end();
    this.#running = undefined;
    this.#slot?.give();
    if (this.options.local !== true) run.endStep(now);
    const ms = Math.round(now - this.#began);
    if ("thrown" in settled) return this.#failed(settled.thrown, ms);
    const why = this.#scope.frozen;
    // The fork has ended without this branch, or the journal is gone.
    if (why === "abandoned" || why === "lost") return "stopped";
    const attempt = this.#attempt;
    const { stored: result } = settled;
    const busyMs = run.busy.count();
    const at = run.clock.now();
    // No spread: it makes larger objects, and a run in memory keeps all of them.
    if (busyMs === 0) run.record({ type: "step-finished", key, attempt, result, ms, at });
    else run.record({ type: "step-finished", key, attempt, result, ms, busyMs, at });
    this.#scope.closed(key);
    return why === undefined ? settled : "stopped";
  }

  #failed(thrown: unknown, ms: number): Tried {
    // An attempt that was aborted happens again when the run is resumed.
    if (this.#scope.frozen !== undefined) return "stopped";
    if (isNotReady(thrown)) {
      this.run.fail(thrown);
      return "stopped";
    }
    const { clock } = this.run;
    const isRateLimit = thrown instanceof RateLimitError;
    const { retries = 0, backoff } = this.options;
    const isLast = !isRateLimit && (thrown instanceof PermanentError || this.#failures >= retries);
    const usedUp = isLast ? undefined : this.budget?.usedUp(thrown);
    if (isLast || usedUp !== undefined) return this.#failForGood(usedUp ?? thrown, ms);
    if (isRateLimit) {
      const asked = thrown.retryAfterMs ?? (thrown.resumeAt ?? 0) - clock.now();
      const pauseMs = Number.isFinite(asked) ? Math.max(shortestPauseMs, Math.ceil(asked)) : shortestPauseMs;
      const error = recordError(thrown);
      this.#recordFailure(error, ms, { retryAt: clock.now() + pauseMs, isRateLimit: true });
      this.run.pause(this.key, error.message, pauseMs);
    } else {
      this.#failures += 1;
      this.#notBefore = clock.now() + delayAfter(this.#failures, backoff);
      this.#recordFailure(recordError(thrown), ms, { retryAt: this.#notBefore });
    }
    return "again";
  }

  #failForGood(thrown: unknown, ms: number): { readonly error: StepFailedError } {
    const error = recordError(thrown);
    this.#recordFailure(error, ms, {});
    this.#scope.closed(this.key);
    this.run.fold.forget(this.key);
    return { error: new StepFailedError(this.key, error, this.#attempt, thrown) };
  }

  #recordFailure(error: ErrorRecord, ms: number, more: { retryAt?: number; isRateLimit?: true }): void {
    const { run, key, budget } = this;
    this.countedBefore = nothingSpent;
    const workMs = budget?.msLeft === undefined ? ms : Math.round(budget.attemptMs);
    const busyMs = run.busy.count();
    const spent = { ms, ...(workMs < ms && { workMs }), ...(busyMs > 0 && { busyMs }) };
    run.record({ type: "step-failed", key, attempt: this.#attempt, error, ...spent, ...more });
  }
}
