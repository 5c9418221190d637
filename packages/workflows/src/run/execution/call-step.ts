import type { Usage } from "../budget.ts";
import { type Clock, remaining } from "../clock.ts";
import type { Stored } from "../events.ts";
import type { Json } from "../json.ts";
import type { StepInfo, StepOptions } from "../run-ctx.ts";
import type { StepState } from "../run-state.ts";
import { type ErrorRecord, PermanentError, RateLimitError, recordError, StepFailedError } from "../step-errors.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import { delayAfter } from "./backoff.ts";
import type { LiveRun } from "./live-run.ts";
import { never } from "./never.ts";
import { Questions } from "./questions.ts";
import { Seat } from "./queues.ts";
import type { Scope } from "./scope.ts";

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

type Settled = { readonly value: Json; readonly stored: Stored } | { readonly thrown: unknown };

/** A step until its end: as many attempts as it takes and may take. */
class StepCall implements AttemptOwner {
  readonly options: StepOptions;
  readonly #live: LiveRun;
  readonly #scope: Scope;
  readonly #key: string;
  readonly #fn: StepFunction;
  readonly #isLocal: boolean;
  #attempt: number;
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
    this.#isLocal = options.local === true;
    this.#attempt = known?.attempt ?? 0;
    this.#failures = known?.failures ?? 0;
    this.#crashes = known?.crashes ?? 0;
    this.#notBefore = known?.phase.kind === "retrying" ? known.phase.at : undefined;
    const queue = live.options.queues.of(options.queue);
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
    if (this.#isLocal) {
      throw new PermanentError("a step that stays inside this process cannot ask anybody", { code: "local" });
    }
    const live = this.#live;
    return new Questions({
      live,
      step: this.#key,
      standsStill: (isStill) => {
        if (isStill) this.#seat?.give();
        live.stepStandsStill(isStill);
        standsStill(isStill);
      },
      mayGoOn: async (isOver) => {
        await live.options.parking.leave();
        if (!isOver()) await this.#seat?.take();
      },
    });
  }

  // Awaits only if there is something to wait for: most steps start at once, and every turn of the loop counts.
  async run(): Promise<Json> {
    this.#scope.opened(this.#key);
    if (this.#crashes >= this.#live.options.maxCrashes) return this.#failForGood(poisoned(this.#crashes), 0);
    for (;;) {
      const ready = this.#ready();
      if (ready !== undefined) await ready;
      try {
        const announced = this.#mayStart() ? this.#announce() : "stopped";
        if (announced instanceof Promise) await announced;
        if (announced === "stopped" || this.#scope.frozen !== undefined) return await never();
        const ending = await this.#tryOnce();
        if (ending === "again") continue;
        if (ending !== "stopped") return ending.value;
      } finally {
        this.#seat?.give();
      }
      return await never();
    }
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
    return this.#isLocal || this.#live.mayStart();
  }

  /** The effect may not come before the record: whoever has lost the run finds out here. */
  #announce(): Promise<void> | undefined {
    this.#attempt += 1;
    if (this.#isLocal) return undefined;
    this.#live.record({ type: "step-started", key: this.#key, attempt: this.#attempt });
    return this.#live.options.durability === "step" ? this.#live.kept() : undefined;
  }

  async #tryOnce(): Promise<{ value: Json } | "again" | "stopped"> {
    const live = this.#live;
    const started = live.clock.monotonic();
    const attempt = new Attempt(this, this.#attempt);
    this.#scope.began(this.#key, attempt);
    if (!this.#isLocal) live.beginStep(started);
    let settled: Settled;
    try {
      const returned = attempt.run(this.#fn);
      const kept = live.store(isPromise(returned) ? await returned : returned);
      settled = kept instanceof Promise ? await kept : kept;
    } catch (thrown) {
      settled = { thrown };
    }
    const ended = live.clock.monotonic();
    attempt.end();
    this.#scope.opened(this.#key);
    if (!this.#isLocal) live.endStep(ended);
    const ms = Math.round(ended - started);
    return "thrown" in settled ? this.#failed(settled.thrown, ms) : this.#finished(settled.value, settled.stored, ms);
  }

  #finished(value: Json, result: Stored, ms: number): { value: Json } | "stopped" {
    const why = this.#scope.frozen;
    // The fork has gone on without this branch, or the journal is gone.
    if (why === "abandoned" || why === "lost") return "stopped";
    const key = this.#key;
    this.#live.record({ type: "step-finished", key, attempt: this.#attempt, result, ms, ...this.#busyMs() });
    this.#close();
    return why === undefined ? { value } : "stopped";
  }

  #failed(thrown: unknown, ms: number): "again" | "stopped" {
    // An attempt that was aborted happens again when the run is resumed.
    if (this.#scope.frozen !== undefined) return "stopped";
    if (thrown instanceof RateLimitError) return this.#paused(thrown, ms);
    this.#failures += 1;
    const { retries = 0, backoff } = this.options;
    if (thrown instanceof PermanentError || this.#failures > retries) return this.#failForGood(thrown, ms);
    this.#notBefore = this.#live.clock.now() + delayAfter(this.#failures, backoff);
    this.#recordFailure(recordError(thrown), ms, { retryAt: this.#notBefore });
    return "again";
  }

  #paused(thrown: RateLimitError, ms: number): "again" {
    const { clock } = this.#live;
    const asked = thrown.retryAfterMs ?? (thrown.resumeAt ?? 0) - clock.now();
    const pauseMs = Math.max(shortestPauseMs, Math.ceil(asked));
    this.#recordFailure(recordError(thrown), ms, { retryAt: clock.now() + pauseMs, isRateLimit: true });
    this.#live.pause(this.#key, thrown.message, pauseMs);
    return "again";
  }

  #failForGood(thrown: unknown, ms: number): never {
    const error = recordError(thrown);
    this.#recordFailure(error, ms, {});
    this.#close();
    throw new StepFailedError(this.#key, error, this.#attempt, thrown);
  }

  #recordFailure(error: ErrorRecord, ms: number, more: { retryAt?: number; isRateLimit?: true }): void {
    const attempt = this.#attempt;
    this.#live.record({ type: "step-failed", key: this.#key, attempt, error, ms, ...this.#busyMs(), ...more });
  }

  #busyMs(): { busyMs?: number } {
    const busyMs = this.#live.busy.count();
    return busyMs === 0 ? {} : { busyMs };
  }

  #close(): void {
    this.#scope.closed(this.#key);
    this.#live.forget(this.#key);
  }
}

function poisoned(crashes: number): PermanentError {
  const message = `the process ended during each of the last ${crashes} attempts`;
  return new PermanentError(message, { code: "crashed" });
}

function isPromise(value: unknown): value is PromiseLike<Json> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
