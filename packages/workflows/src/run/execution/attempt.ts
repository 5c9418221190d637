import { addUsage, describeExceeded, nothingSpent, overspent, type Usage } from "../budget.ts";
import { after, type Clock } from "../clock.ts";
import type { Json } from "../json.ts";
import type { StepInfo, StepOptions } from "../run-ctx.ts";
import { type AbortReason, PermanentError, StepAbortedError, StepTimeoutError } from "../step-errors.ts";
import type { QuestionParts, Questions } from "./questions.ts";
import type { Abortable } from "./scope.ts";

export interface AttemptParts {
  readonly clock: Clock;
  readonly idemKey: string;
  readonly attempt: number;
  readonly options: StepOptions;
  readonly note: (note: Json) => void;
  readonly spend: (usage: Usage) => void;
  /** Throws if the step may not ask. */
  readonly questions: (standsStill: QuestionParts["standsStill"]) => Questions;
}

/** One call of a step's function, and what that function is given. */
export class Attempt implements StepInfo, Abortable {
  readonly #parts: AttemptParts;
  /** Made when somebody asks: most steps do not, and it costs more than all the rest. */
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  /** Ends the attempt whatever its function does. */
  #giveUp: ((reason: Error) => void) | undefined;
  #clearTimeout: (() => void) | undefined;
  #clearIdle: (() => void) | undefined;
  /** Of the longest time. */
  #timeLeft = 0;
  #spent = nothingSpent;
  #questions: Questions | undefined;
  #isStill = false;
  #isOver = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  get attempt(): number {
    return this.#parts.attempt;
  }

  get idemKey(): string {
    return this.#parts.idemKey;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  // These are functions of their own: steps like to take them out of what they are given.
  readonly note = (note: Json): void => {
    if (this.#reason !== undefined) return;
    this.#watchIdle();
    this.#parts.note(note);
  };

  readonly spend = (usage: Usage): void => {
    // Also after an abort: it has been spent all the same.
    this.#parts.spend(usage);
    this.#watchIdle();
    const { budget } = this.#parts.options;
    if (budget === undefined) return;
    this.#spent = addUsage(this.#spent, usage);
    const exceeded = overspent(budget, this.#spent);
    if (exceeded === undefined) return;
    this.#stop(new PermanentError(`the step's budget: ${describeExceeded(exceeded)}`, { code: "budget" }));
  };

  readonly ask = async (about: Json): Promise<Json> => {
    this.#refuseUnlessRunning();
    this.#questions ??= this.#parts.questions((isStill) => this.#standStill(isStill));
    const answer = await this.#questions.ask(about);
    if (this.#reason !== undefined) throw this.#reason;
    return answer;
  };

  /** Nothing that its function still does matters. */
  end(): void {
    this.#isOver = true;
    this.#questions?.close();
  }

  abort(why: AbortReason): void {
    this.#abort(new StepAbortedError(why));
  }

  /** The function's result. Rejects with whatever it throws, or when the attempt takes too long or costs too much. */
  run<T>(fn: (info: StepInfo) => Promise<T> | T): Promise<T> | T {
    const { timeoutMs, idleMs, budget } = this.#parts.options;
    if (timeoutMs === undefined && idleMs === undefined && budget === undefined) return fn(this);
    return this.#runBounded(fn);
  }

  async #runBounded<T>(fn: (info: StepInfo) => Promise<T> | T): Promise<T> {
    const { timeoutMs } = this.#parts.options;
    const givenUp = new Promise<never>((_resolve, reject) => {
      this.#giveUp = reject;
    });
    this.#timeLeft = timeoutMs ?? 0;
    this.#watchTime();
    this.#watchIdle();
    try {
      return await Promise.race([invoke(fn, this), givenUp]);
    } finally {
      this.#clearTimers();
    }
  }

  #refuseUnlessRunning(): void {
    if (this.#reason !== undefined) throw this.#reason;
    if (this.#isOver) throw new Error("The step has ended and cannot ask any more.");
  }

  /** While a question is open no time passes. */
  #standStill(isStill: boolean): void {
    this.#isStill = isStill;
    if (isStill) {
      this.#clearTimeout?.();
      this.#clearIdle?.();
    } else if (this.#reason === undefined) {
      this.#watchTime();
      this.#watchIdle();
    }
  }

  #watchTime(): void {
    const { clock, options } = this.#parts;
    const { timeoutMs } = options;
    if (timeoutMs === undefined || this.#giveUp === undefined) return;
    const since = clock.monotonic();
    const late = (): void => this.#stop(new StepTimeoutError("timeout", timeoutMs));
    const cancel = after(clock, this.#timeLeft, late);
    this.#clearTimeout = () => {
      cancel();
      this.#timeLeft -= clock.monotonic() - since;
      this.#clearTimeout = undefined;
    };
  }

  #watchIdle(): void {
    const { idleMs } = this.#parts.options;
    this.#clearIdle?.();
    if (idleMs === undefined || this.#isStill || this.#reason !== undefined || this.#giveUp === undefined) return;
    const silent = (): void => this.#stop(new StepTimeoutError("idle-timeout", idleMs));
    this.#clearIdle = after(this.#parts.clock, idleMs, silent);
  }

  #stop(reason: Error): void {
    const giveUp = this.#giveUp;
    this.#abort(reason);
    giveUp?.(reason);
  }

  #abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#clearTimers();
    this.#controller?.abort(reason);
    this.#questions?.close(reason);
  }

  #clearTimers(): void {
    this.#clearTimeout?.();
    this.#clearIdle?.();
    this.#giveUp = undefined;
  }
}

/** What a function throws before its first `await` is a failure like any other. */
async function invoke<T>(fn: (info: StepInfo) => Promise<T> | T, info: StepInfo): Promise<T> {
  return await fn(info);
}
