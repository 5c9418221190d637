import type { Usage } from "../budget.ts";
import { after, type Clock } from "../clock.ts";
import type { StepOptions } from "../run-ctx.ts";
import { StepTimeoutError } from "../step-errors.ts";
import { Countdown } from "./countdown.ts";
import type { StepBudget } from "./step-budget.ts";

export interface Bounded {
  readonly clock: Clock;
  readonly options: StepOptions;
  /** Of all its attempts. */
  readonly budget: StepBudget | undefined;
}

/** The longest time of an attempt, its longest silence and what is left of its step's budget. */
export class Bounds {
  readonly #owner: Bounded;
  readonly #abort: (reason: Error) => void;
  /** Ends the attempt whatever its function does. Undefined once it has ended. */
  #giveUp: ((reason: Error) => void) | undefined;
  #timeout: Countdown | undefined;
  #budgetTime: Countdown | undefined;
  #clearIdle: (() => void) | undefined;
  #isStill = false;

  constructor(owner: Bounded, abort: (reason: Error) => void) {
    this.#owner = owner;
    this.#abort = abort;
  }

  async hold<T>(run: () => Promise<T>): Promise<T> {
    const { budget } = this.#owner;
    // Only of a run that is resumed: else the step has failed for it already.
    const usedUp = budget?.usedUp();
    if (usedUp !== undefined) throw usedUp;
    budget?.begin();
    const givenUp = new Promise<never>((_resolve, reject) => {
      this.#giveUp = reject;
    });
    this.#setTimers();
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
    const overspent = this.#owner.budget?.spend(usage);
    if (overspent !== undefined) this.#stop(overspent);
  }

  /** While a question is open no time passes. */
  standStill(isStill: boolean): void {
    this.#isStill = isStill;
    if (isStill) this.#stopTimers();
    else if (this.#giveUp !== undefined) {
      this.#timeout?.go();
      this.#budgetTime?.go();
      this.alive();
    }
  }

  clear(): void {
    this.#stopTimers();
    this.#giveUp = undefined;
  }

  #setTimers(): void {
    const { clock, options, budget } = this.#owner;
    const { timeoutMs } = options;
    const left = budget?.msLeft;
    if (timeoutMs !== undefined) {
      this.#timeout = new Countdown(clock, timeoutMs, () => this.#stop(new StepTimeoutError("timeout", timeoutMs)));
    }
    if (left !== undefined) this.#budgetTime = new Countdown(clock, left, () => this.#stop(budget?.outOfTime()));
    this.#timeout?.go();
    this.#budgetTime?.go();
  }

  #stopTimers(): void {
    this.#timeout?.stop();
    this.#clearIdle?.();
    if (this.#budgetTime !== undefined) this.#owner.budget?.work(this.#budgetTime.stop());
  }

  #stop(reason: Error | undefined): void {
    if (reason === undefined) return;
    const giveUp = this.#giveUp;
    this.#abort(reason);
    giveUp?.(reason);
  }
}
