import type { Clock } from "../clock.ts";

/** A fixed number of slots. Those without one wait in order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Undefined: taken at once. */
  take(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** A slot that one step wants, has, or gives up for a while. */
export class QueueSlot {
  readonly #slots: Slots;
  #isWanted = false;
  #isTaken = false;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  /** Undefined: taken at once, or earlier. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return undefined;
    this.#isWanted = true;
    const free = this.#slots.take();
    if (free === undefined) {
      this.#isTaken = true;
      return undefined;
    }
    return free.then(() => {
      if (this.#isWanted && !this.#isTaken) this.#isTaken = true;
      else this.#slots.give();
    });
  }

  give(): void {
    this.#isWanted = false;
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#slots.give();
  }
}

/**
 * A run's slot in a worker. A run whose branches all wait, for an answer or a date, gives its slot to another run and takes
 * one again before its next step.
 */
export class Parking {
  readonly #slots: Slots | undefined;
  readonly #clock: Clock;
  /** Whether something is running or can continue on its own. */
  readonly #isBusy: () => boolean;
  #isChecking = false;
  #parked = false;
  #leaving: Promise<void> | undefined;
  #closed = false;

  /** The slot has been taken already. */
  constructor(slots: Slots | undefined, clock: Clock, isBusy: () => boolean) {
    this.#slots = slots;
    this.#clock = clock;
    this.#isBusy = isBusy;
  }

  /** Nothing runs now: checks again once the interpreter has had its turn, and then gives up the slot. */
  idle(): void {
    if (this.#slots === undefined || this.#isChecking || this.#parked || this.#closed) return;
    this.#isChecking = true;
    this.#clock.setTimeout(() => {
      this.#isChecking = false;
      if (this.#parked || this.#closed || this.#isBusy()) return;
      this.#parked = true;
      this.#slots?.give();
    }, 0);
  }

  /** Resolves when the run has a slot again. Undefined: it has one. */
  leave(): Promise<void> | undefined {
    if (!this.#parked) return undefined;
    this.#leaving ??= (async () => {
      await this.#slots?.take();
      this.#parked = false;
      this.#leaving = undefined;
      if (this.#closed) this.#slots?.give();
    })();
    return this.#leaving;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#parked) this.#slots?.give();
  }
}
