import type { Clock } from "../clock.ts";

/** A fixed number at a time; the others wait in the order in which they came. */
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

/** A slot that one step wants, has or leaves to others for a while. */
export class QueueSlot {
  readonly #slots: Slots;
  #isWanted = false;
  #isTaken = false;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  /** Undefined: taken at once, or before. */
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
 * A run's slot among those that a worker has. A run of which every branch waits, for a person or a date, gives its slot to
 * another run and takes it again before its next step.
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

  /** Nothing runs at the moment: look again once the interpreter has had its turn. */
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

  /** Resolves when there is a slot again. Undefined: there is. */
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
