import type { Usage } from "../budget.ts";
import { type Clock, remaining } from "../clock.ts";
import type { Json } from "../json.ts";
import type { StepInfo, StepOptions } from "../run-ctx.ts";
import type { StepState } from "../run-state.ts";
import {
  type AbortReason,
  type ErrorRecord,
  PermanentError,
  RateLimitError,
  recordError,
  StepFailedError,
} from "../step-errors.ts";
import { isPromise } from "../when-done.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import { delayAfter } from "./backoff.ts";
import { checkStepOptions } from "./check-numbers.ts";
import type { Kept, LiveRun } from "./live-run.ts";
import { never } from "./never.ts";
import { Questions } from "./questions.ts";
import { Seat } from "./queues.ts";
import type { Abortable, Scope } from "./scope.ts";
import { StepBudget } from "./step-budget.ts";

type StepFunction = (info: StepInfo) => Promise<Json> | Json;

/** A provider that asks for less is asked again at once, and asks again. */
const shortestPauseMs = 1000;

export function callStep(
  live: LiveRun,
  scope: Scope,
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
  const call = live.claim(key, "step");
  if (call === "refused") return never();
  if (call?.phase.kind === "finished") {
    live.forget(key);
    const loaded = live.load(call.phase.result);
    return loaded === undefined ? never() : Promise.resolve(loaded.value);
  }
  if (call?.phase.kind === "failed") {
    live.forget(key);
    return Promise.reject(new StepFailedError(key, call.phase.error, call.attempt));
  }
  return new StepCall(live, scope, key, fn, options, call).run();
}

/** What became of an attempt. */
type Tried = { readonly value: Json } | { readonly error: StepFailedError } | "again" | "stopped";

type Settled = Kept | { readonly thrown: unknown };

/** A step until its end: as many attempts as it takes and may take. */
class StepCall implements AttemptOwner, Abortable {
  readonly options: StepOptions;
  readonly budget: StepBudget | undefined;
  readonly #live: LiveRun;
  readonly #scope: Scope;
  readonly #key: string;
  readonly #fn: StepFunction;
  #attempt: number;
  #running: Attempt | undefined;
  #began = 0;
  #failures: number;
  /** Milliseconds since 1970. */
  #notBefore: number | undefined;
  readonly #crashes: number;
  /** In the step's queue, if it has one. */
  readonly #seat: Seat | undefined;

  constructor(
    live: LiveRun,
    scope: Scope,
    key: string,
    fn: StepFunction,
    options: StepOptions,
    known: StepState | undefined,
  ) {
    this.#live = live;
    this.#scope = scope;
    this.#key = key;
    this.#fn = fn;
    this.options = options;
    this.budget = options.budget && new StepBudget(options.budget, known?.spent);
    this.#attempt = known?.attempt ?? 0;
    this.#failures = known?.failures ?? 0;
    this.#crashes = known?.crashes ?? 0;
    this.#notBefore = known?.phase.kind === "retrying" ? known.phase.at : undefined;
    const queue = options.queue === undefined ? undefined : live.options.queues.of(options.queue);
    this.#seat = queue && new Seat(queue);
  }

  get clock(): Clock {
    return this.#live.clock;
  }

  get idemKey(): string {
    return `${this.#live.runId}/${this.#key}`;
  }

  note(note: Json): void {
    this.#live.note(this.#key, note);
  }

  spend(usage: Usage): void {
    this.#live.spend(this.#key, usage);
  }

  questions(standsStill: (isStill: boolean) => void): Questions {
    if (this.options.local === true) {
      throw new PermanentError("a step that stays inside this process cannot ask anybody", { code: "local" });
    }
    const live = this.#live;
    return new Questions({
      live,
      step: this.#key,
      frozen: () => this.#scope.frozen,
      standsStill: (isStill) => {
        if (isStill) this.#seat?.give();
        live.stepStandsStill(this, isStill);
        standsStill(isStill);
      },
      mayGoOn: async (isOver) => {
        await live.options.parking.leave();
        if (!isOver()) await this.#seat?.take();
      },
    });
  }

  abort(why: AbortReason): void {
    this.#running?.abort(why);
  }

  /** A step that has nothing to wait for needs no promise but the one it returns. */
  run(): Promise<Json> {
    this.#scope.opened(this.#key, this);
    const { maxCrashes } = this.#live.options;
    if (this.#crashes >= maxCrashes) return Promise.reject(this.#failForGood(poisoned(this.#crashes), 0).error);
    const tried = this.#try();
    if (tried instanceof Promise) return this.#tryUntilEnd(tried);
    if (tried === "again") return this.#tryUntilEnd(this.#try());
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
    if (ready !== undefined) return ready.then(() => this.#start());
    return this.#start();
  }

  #start(): Promise<Tried> | Tried {
    const announced = this.#mayStart() ? this.#announce() : "stopped";
    if (announced === undefined) return this.#attemptNow();
    if (announced === "stopped") return this.#stop();
    return announced.then(() => (this.#scope.frozen === undefined ? this.#attemptNow() : this.#stop()));
  }

  #attemptNow(): Promise<Tried> | Tried {
    const attempt = this.#begin();
    try {
      const returned = attempt.run(this.#fn);
      if (isPromise(returned)) return this.#attemptLater(attempt, returned);
      const kept = this.#live.store(returned);
      if (kept instanceof Promise) return kept.then((stored) => this.#end(attempt, stored));
      return this.#end(attempt, kept);
    } catch (thrown) {
      return this.#end(attempt, { thrown });
    }
  }

  async #attemptLater(attempt: Attempt, returned: PromiseLike<Json>): Promise<Tried> {
    let settled: Settled;
    try {
      settled = await this.#live.store(await returned);
    } catch (thrown) {
      settled = { thrown };
    }
    return this.#end(attempt, settled);
  }

  /** Its date has come, no pause, a place among the runs that are worked on and one in its queue. Undefined: at once. */
  #ready(): Promise<void> | undefined {
    const live = this.#live;
    const first = this.#waitForDate() ?? live.pauseOver ?? live.options.parking.leave() ?? live.breathe();
    if (first !== undefined) return first.then(() => this.#ready());
    return this.#seat?.take();
  }

  #waitForDate(): Promise<void> | undefined {
    const due = this.#notBefore;
    if (due === undefined) return undefined;
    this.#notBefore = undefined;
    const longest = delayAfter(this.#failures, this.options.backoff);
    const ms = remaining(this.#live.clock, due, longest);
    return ms > 0 ? this.#live.sleep(ms) : undefined;
  }

  #mayStart(): boolean {
    if (this.#scope.frozen !== undefined) return false;
    return this.options.local === true || this.#live.mayStart();
  }

  /** The effect may not come before the record: whoever has lost the run finds out here. */
  #announce(): Promise<void> | undefined {
    const attempt = ++this.#attempt;
    if (this.options.local === true) return undefined;
    const live = this.#live;
    live.record({ type: "step-started", key: this.#key, attempt, at: live.clock.now() });
    return live.options.durability === "step" ? live.kept() : undefined;
  }

  #stop(): "stopped" {
    this.#seat?.give();
    return "stopped";
  }

  #begin(): Attempt {
    const attempt = new Attempt(this, this.#attempt);
    this.#running = attempt;
    this.#began = this.#live.clock.monotonic();
    if (this.options.local !== true) this.#live.beginStep(this.#began);
    return attempt;
  }

  #end(attempt: Attempt, settled: Settled): Tried {
    const now = this.#live.clock.monotonic();
    attempt.end();
    this.#running = undefined;
    this.#seat?.give();
    if (this.options.local !== true) this.#live.endStep(now);
    const ms = Math.round(now - this.#began);
    return "thrown" in settled ? this.#failed(settled.thrown, ms) : this.#finished(settled, ms);
  }

  #finished(kept: Kept, ms: number): Tried {
    const why = this.#scope.frozen;
    // The fork has gone on without this branch, or the journal is gone.
    if (why === "abandoned" || why === "lost") return "stopped";
    const live = this.#live;
    const key = this.#key;
    const attempt = this.#attempt;
    const { stored: result } = kept;
    const busyMs = live.busy.count();
    const at = live.clock.now();
    // Written out: a spread makes larger objects, and a run in memory keeps all of them.
    if (busyMs === 0) live.record({ type: "step-finished", key, attempt, result, ms, at });
    else live.record({ type: "step-finished", key, attempt, result, ms, busyMs, at });
    this.#scope.closed(key);
    return why === undefined ? kept : "stopped";
  }

  #failed(thrown: unknown, ms: number): Tried {
    // An attempt that was aborted happens again when the run is resumed.
    if (this.#scope.frozen !== undefined) return "stopped";
    const isRateLimit = thrown instanceof RateLimitError;
    const { retries = 0, backoff } = this.options;
    const isLast = !isRateLimit && (thrown instanceof PermanentError || this.#failures >= retries);
    const usedUp = isLast ? undefined : this.budget?.usedUp(thrown);
    if (isLast || usedUp !== undefined) return this.#failForGood(usedUp ?? thrown, ms);
    if (isRateLimit) return this.#paused(thrown, ms);
    this.#failures += 1;
    this.#notBefore = this.#live.clock.now() + delayAfter(this.#failures, backoff);
    this.#recordFailure(recordError(thrown), ms, { retryAt: this.#notBefore });
    return "again";
  }

  #paused(thrown: RateLimitError, ms: number): "again" {
    const { clock } = this.#live;
    const asked = thrown.retryAfterMs ?? (thrown.resumeAt ?? 0) - clock.now();
    const pauseMs = Number.isFinite(asked) ? Math.max(shortestPauseMs, Math.ceil(asked)) : shortestPauseMs;
    const error = recordError(thrown);
    this.#recordFailure(error, ms, { retryAt: clock.now() + pauseMs, isRateLimit: true });
    this.#live.pause(this.#key, error.message, pauseMs);
    return "again";
  }

  #failForGood(thrown: unknown, ms: number): { readonly error: StepFailedError } {
    const error = recordError(thrown);
    this.#recordFailure(error, ms, {});
    this.#scope.closed(this.#key);
    this.#live.forget(this.#key);
    return { error: new StepFailedError(this.#key, error, this.#attempt, thrown) };
  }

  #recordFailure(error: ErrorRecord, ms: number, more: { retryAt?: number; isRateLimit?: true }): void {
    const attempt = this.#attempt;
    const spent = { ms, ...this.#workMs(ms), ...this.#busyMs() };
    this.#live.record({ type: "step-failed", key: this.#key, attempt, error, ...spent, ...more });
  }

  #workMs(ms: number): { workMs?: number } {
    const workMs = this.budget?.msLeft === undefined ? ms : Math.round(this.budget.attemptMs);
    return workMs < ms ? { workMs } : {};
  }

  #busyMs(): { busyMs?: number } {
    const busyMs = this.#live.busy.count();
    return busyMs === 0 ? {} : { busyMs };
  }
}

function poisoned(crashes: number): PermanentError {
  const message = `the process ended during each of the last ${crashes} attempts`;
  return new PermanentError(message, { code: "crashed" });
}
