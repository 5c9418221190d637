import { addUsage, describeExceeded, nothingSpent, overspent, type Usage } from "../budget.ts";
import { after, type Clock } from "../clock.ts";
import type { StepOptions } from "../run-ctx.ts";
import { PermanentError, StepTimeoutError } from "../step-errors.ts";

export interface Bounded {
  readonly clock: Clock;
  readonly options: StepOptions;
}

/** The longest time of an attempt, its longest silence and its budget. */
export class Bounds {
  readonly #owner: Bounded;
  readonly #abort: (reason: Error) => void;
  /** Ends the attempt whatever its function does. Undefined once it has ended. */
  #giveUp: ((reason: Error) => void) | undefined;
  #clearTimeout: (() => void) | undefined;
  #clearIdle: (() => void) | undefined;
  #timeLeft: number;
  #isStill = false;
  #spent = nothingSpent;

  constructor(owner: Bounded, abort: (reason: Error) => void) {
    this.#owner = owner;
    this.#abort = abort;
    this.#timeLeft = owner.options.timeoutMs ?? 0;
  }

  async hold<T>(run: () => Promise<T>): Promise<T> {
    const givenUp = new Promise<never>((_resolve, reject) => {
      this.#giveUp = reject;
    });
    this.#watchTime();
    this.alive();
    try {
      return await Promise.race([run(), givenUp]);
    } finally {
      this.clear();
    }
  }

  /** A sign of life. */
  alive(): void {
    const { idleMs } = this.#owner.options;
    this.#clearIdle?.();
    if (idleMs === undefined || this.#isStill || this.#giveUp === undefined) return;
    const silent = (): void => this.#stop(new StepTimeoutError("idle-timeout", idleMs));
    this.#clearIdle = after(this.#owner.clock, idleMs, silent);
  }

  spent(usage: Usage): void {
    const { budget } = this.#owner.options;
    if (budget === undefined) return;
    this.#spent = addUsage(this.#spent, usage);
    const exceeded = overspent(budget, this.#spent);
    if (exceeded === undefined) return;
    this.#stop(new PermanentError(`the step's budget: ${describeExceeded(exceeded)}`, { code: "budget" }));
  }

  /** While a question is open no time passes. */
  standStill(isStill: boolean): void {
    this.#isStill = isStill;
    if (isStill) {
      this.#clearTimeout?.();
      this.#clearIdle?.();
    } else {
      this.#watchTime();
      this.alive();
    }
  }

  clear(): void {
    this.#clearTimeout?.();
    this.#clearIdle?.();
    this.#giveUp = undefined;
  }

  #watchTime(): void {
    const { clock, options } = this.#owner;
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

  #stop(reason: Error): void {
    const giveUp = this.#giveUp;
    this.#abort(reason);
    giveUp?.(reason);
  }
}
