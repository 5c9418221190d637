import { after, type Clock } from "../clock.ts";
import type { StepInfo, StepOptions } from "../run-ctx.ts";
import { type AbortReason, StepAbortedError, StepTimeoutError } from "../step-errors.ts";
import type { Abortable } from "./abort-scope.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import type { QuestionParts, Questions } from "./questions.ts";
import type { StepBudget } from "./step-budget.ts";

/** The step that an attempt belongs to. */
export interface AttemptedStep {
  readonly run: ClaimedRun;
  readonly key: string;
  readonly options: StepOptions;
  readonly countedBefore: StepInfo["countedBefore"];
  /** The budget for all its attempts. */
  readonly budget: StepBudget | undefined;
  /** Throws if the step may not ask. */
  questions(onWaiting: QuestionParts["onWaiting"]): Questions;
}

/** What an attempt creates only if its function asks for it: most do not, and it would cost more than the rest of a step. */
interface Made {
  controller?: AbortController;
  note?: StepInfo["note"];
  spend?: StepInfo["spend"];
  ask?: StepInfo["ask"];
  limits?: AttemptLimits;
  questions?: Questions;
}

/** One call of a step's function, and what that function is given. */
export class Attempt implements StepInfo, Abortable {
  readonly attempt: number;
  readonly #step: AttemptedStep;
  #reason: Error | undefined;
  #isOver = false;
  #made: Made | undefined;

  constructor(step: AttemptedStep, attempt: number) {
    this.#step = step;
    this.attempt = attempt;
  }

  get folder(): string {
    return this.#step.run.options.folder;
  }

  get idemKey(): string {
    return `${this.#step.run.runId}/${this.#step.key}`;
  }

  get countedBefore(): StepInfo["countedBefore"] {
    return this.#step.countedBefore;
  }

  get signal(): AbortSignal {
    this.#made ??= {};
    this.#made.controller ??= new AbortController();
    if (this.#reason !== undefined) this.#made.controller.abort(this.#reason);
    return this.#made.controller.signal;
  }

  // These three do not need `this`, so steps can destructure them.
  get note(): StepInfo["note"] {
    this.#made ??= {};
    const made = this.#made;
    made.note ??= (note) => {
      if (this.#reason !== undefined) return;
      made.limits?.alive();
      const { run, key } = this.#step;
      run.note({ type: "step-note", key, note, at: run.clock.now() });
    };
    return made.note;
  }

  get spend(): StepInfo["spend"] {
    this.#made ??= {};
    const made = this.#made;
    made.spend ??= (usage) => {
      // Also after an abort: it was spent all the same.
      this.#step.run.spend(this.#step.key, usage);
      made.limits?.alive();
      made.limits?.stop(this.#step.budget?.spend(usage));
    };
    return made.spend;
  }

  get ask(): StepInfo["ask"] {
    this.#made ??= {};
    const made = this.#made;
    made.ask ??= async (about, covers) => {
      if (this.#reason !== undefined) throw this.#reason;
      if (this.#isOver) throw new Error("The step has ended and can no longer ask questions.");
      made.questions ??= this.#step.questions((isWaiting) => made.limits?.setWaiting(isWaiting));
      const answer = await made.questions.ask(about, covers);
      if (this.#reason !== undefined) throw this.#reason;
      return answer;
    };
    return made.ask;
  }

  /** The function's result. Fails with whatever it throws, or when the attempt takes too long or costs too much. */
  run<T>(fn: (info: StepInfo) => Promise<T> | T): Promise<T> | T {
    const { options, budget } = this.#step;
    if (options.timeoutMs === undefined && options.idleMs === undefined && budget === undefined) return fn(this);
    const limits = new AttemptLimits(this.#step, (reason) => this.abort(reason));
    this.#made ??= {};
    this.#made.limits = limits;
    // An async function, so what `fn` throws before its first `await` is a failure like any other.
    return limits.hold(async () => await fn(this));
  }

  /** Ignores whatever its function still does. */
  end(): void {
    this.#isOver = true;
    this.#made?.questions?.close();
  }

  abort(why: AbortReason | Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = why instanceof Error ? why : new StepAbortedError(why);
    this.#made?.limits?.clear();
    this.#made?.controller?.abort(this.#reason);
    this.#made?.questions?.close(this.#reason);
  }
}

/** An attempt's longest time, its longest silence and what is left of its step's budget. */
class AttemptLimits {
  readonly #step: AttemptedStep;
  readonly #abort: (reason: Error) => void;
  /** Ends the attempt, whatever its function does. Undefined once it has ended. */
  #giveUp: ((reason: Error) => void) | undefined;
  #timeout: Countdown | undefined;
  #budgetTime: Countdown | undefined;
  #clearIdle: (() => void) | undefined;
  #isWaiting = false;

  constructor(step: AttemptedStep, abort: (reason: Error) => void) {
    this.#step = step;
    this.#abort = abort;
  }

  async hold<T>(run: () => Promise<T>): Promise<T> {
    const { run: claimed, options, budget } = this.#step;
    // Happens only in a resumed run: otherwise the step has already failed for it.
    const usedUp = budget?.usedUp();
    if (usedUp !== undefined) throw usedUp;
    budget?.begin();
    const givenUp = new Promise<never>((_resolve, reject) => {
      this.#giveUp = reject;
    });
    const { timeoutMs } = options;
    const msLeft = budget?.msLeft;
    if (timeoutMs !== undefined) {
      this.#timeout = new Countdown(claimed.clock, timeoutMs, () =>
        this.stop(new StepTimeoutError("timeout", timeoutMs)),
      );
    }
    if (msLeft !== undefined) {
      this.#budgetTime = new Countdown(claimed.clock, msLeft, () => this.stop(budget?.outOfTime()));
    }
    this.setWaiting(false);
    try {
      return await Promise.race([run(), givenUp]);
    } finally {
      this.clear();
    }
  }

  /** A sign of life. */
  alive(): void {
    const { idleMs } = this.#step.options;
    this.#clearIdle?.();
    if (idleMs === undefined || this.#isWaiting || this.#giveUp === undefined) return;
    this.#clearIdle = after(this.#step.run.clock, idleMs, () =>
      this.stop(new StepTimeoutError("idle-timeout", idleMs)),
    );
  }

  /** No time passes while a question is open. */
  setWaiting(isWaiting: boolean): void {
    this.#isWaiting = isWaiting;
    if (isWaiting) this.#stopTimers();
    else if (this.#giveUp !== undefined) {
      this.#timeout?.go();
      this.#budgetTime?.go();
      this.alive();
    }
  }

  /** Ends the attempt, if there is a reason to. */
  stop(reason: Error | undefined): void {
    if (reason === undefined) return;
    const giveUp = this.#giveUp;
    this.#abort(reason);
    giveUp?.(reason);
  }

  clear(): void {
    this.#stopTimers();
    this.#giveUp = undefined;
  }

  #stopTimers(): void {
    this.#timeout?.stop();
    this.#clearIdle?.();
    if (this.#budgetTime !== undefined) this.#step.budget?.work(this.#budgetTime.stop());
  }
}

/** Calls back after a time that passes only while the countdown runs. */
class Countdown {
  readonly #clock: Clock;
  readonly #over: () => void;
  #left: number;
  #since: number | undefined;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, milliseconds: number, over: () => void) {
    this.#clock = clock;
    this.#left = milliseconds;
    this.#over = over;
  }

  go(): void {
    if (this.#since !== undefined) return;
    this.#since = this.#clock.monotonic();
    this.#cancel = after(this.#clock, this.#left, this.#over);
  }

  /** Milliseconds since it last started to run. */
  stop(): number {
    if (this.#since === undefined) return 0;
    this.#cancel();
    const passed = this.#clock.monotonic() - this.#since;
    this.#since = undefined;
    this.#left -= passed;
    return passed;
  }
}
