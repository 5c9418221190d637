import { remaining } from "../clock.ts";
import type { Stored } from "../events.ts";
import type { Json } from "../json.ts";
import type { StepInfo, StepOptions } from "../run-ctx.ts";
import type { StepState } from "../run-state.ts";
import { type ErrorRecord, PermanentError, RateLimitError, recordError, StepFailedError } from "../step-errors.ts";
import { Attempt } from "./attempt.ts";
import { delayAfter } from "./backoff.ts";
import type { LiveRun } from "./live-run.ts";
import { never } from "./never.ts";
import { Questions } from "./questions.ts";
import { Seat } from "./queues.ts";
import type { Scope } from "./scope.ts";

type StepFunction = (info: StepInfo) => Promise<Json> | Json;

/** A provider that asks for less is asked again at once, and asks again. */
const shortestPauseMs = 1000;

export async function callStep(
  live: LiveRun,
  scope: Scope,
  key: string,
  fn: StepFunction,
  options: StepOptions,
): Promise<Json> {
  if (scope.frozen !== undefined) return await never();
  const claimed = live.claim(key, "step");
  if (claimed === "refused") return await never();
  const { call } = claimed;
  if (call?.phase.kind === "finished") {
    live.forget(key);
    const loaded = live.load(call.phase.result);
    return loaded === undefined ? await never() : loaded.value;
  }
  if (call?.phase.kind === "failed") {
    live.forget(key);
    throw new StepFailedError(key, call.phase.error, call.attempt);
  }
  return await new StepCall(live, scope, key, fn, options, call).run();
}

/** A step until its end: as many attempts as it takes and may take. */
class StepCall {
  readonly #live: LiveRun;
  readonly #scope: Scope;
  readonly #key: string;
  readonly #fn: StepFunction;
  readonly #options: StepOptions;
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
    this.#options = options;
    this.#attempt = known?.attempt ?? 0;
    this.#failures = known?.failures ?? 0;
    this.#crashes = known?.crashes ?? 0;
    this.#notBefore = known?.phase.kind === "retrying" ? known.phase.at : undefined;
    const queue = live.options.queues.of(options.queue);
    this.#seat = queue && new Seat(queue);
  }

  async run(): Promise<Json> {
    this.#scope.opened(this.#key);
    if (this.#crashes >= this.#live.options.maxCrashes) return this.#failForGood(poisoned(this.#crashes), 0);
    for (;;) {
      // Awaited only if there is something to wait for: most steps start at once, and every turn of the loop counts.
      const ready = this.#ready();
      if (ready !== undefined) await ready;
      try {
        const ending = this.#mayStart() ? await this.#tryOnce() : "stopped";
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
    const longest = delayAfter(this.#failures, this.#options.backoff);
    const ms = remaining(this.#live.clock, due, longest);
    return ms > 0 ? this.#live.sleep(ms) : undefined;
  }

  #mayStart(): boolean {
    if (this.#scope.frozen !== undefined) return false;
    return this.#options.local === true || this.#live.mayStart();
  }

  async #tryOnce(): Promise<{ value: Json } | "again" | "stopped"> {
    const live = this.#live;
    this.#attempt += 1;
    const isLocal = this.#options.local === true;
    if (!isLocal) {
      live.record({ type: "step-started", key: this.#key, attempt: this.#attempt });
      // The effect may not come before the record: whoever has lost the run finds out here.
      if (live.options.durability === "step") await live.kept();
      if (this.#scope.frozen !== undefined) return "stopped";
    }
    const started = live.clock.monotonic();
    const elapsed = (): number => Math.round(live.clock.monotonic() - started);
    const attempt = this.#newAttempt();
    this.#scope.began(attempt);
    if (!isLocal) live.beginStep();
    let settled: { value: Json; stored: Stored } | { thrown: unknown };
    try {
      const kept = live.store(await attempt.run(this.#fn));
      settled = kept instanceof Promise ? await kept : kept;
    } catch (thrown) {
      settled = { thrown };
    } finally {
      attempt.end();
      this.#scope.ended(attempt);
      if (!isLocal) live.endStep();
    }
    if ("thrown" in settled) return this.#failed(settled.thrown, elapsed());
    return this.#finished(settled.value, settled.stored, elapsed());
  }

  #newAttempt(): Attempt {
    const live = this.#live;
    const key = this.#key;
    return new Attempt({
      clock: live.clock,
      idemKey: `${live.runId}/${key}`,
      attempt: this.#attempt,
      options: this.#options,
      note: (note) => live.note(key, note),
      spend: (usage) => live.spend(key, usage),
      questions: (standsStill) => this.#newQuestions(standsStill),
    });
  }

  #newQuestions(standsStill: (isStill: boolean) => void): Questions {
    if (this.#options.local === true) {
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
    const { retries = 0, backoff } = this.#options;
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
