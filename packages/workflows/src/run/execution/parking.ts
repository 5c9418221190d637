import type { Clock } from "../clock.ts";
import type { Places } from "./queues.ts";

/**
 * The place of a run among those that a worker has. A run of which every branch waits, for a person or a date, gives its
 * place to another one and takes it again before its next step.
 */
export class Parking {
  readonly #places: Places | undefined;
  readonly #clock: Clock;
  /** Whether something runs, or may go on without anybody's help. */
  readonly #isBusy: () => boolean;
  #isChecking = false;
  #parked = false;
  #leaving: Promise<void> | undefined;
  #closed = false;

  /** The place has been taken already. */
  constructor(places: Places | undefined, clock: Clock, isBusy: () => boolean) {
    this.#places = places;
    this.#clock = clock;
    this.#isBusy = isBusy;
  }

  /** Nothing runs at the moment: look again once the interpreter has had its turn. */
  idle(): void {
    if (this.#places === undefined || this.#isChecking || this.#parked || this.#closed) return;
    this.#isChecking = true;
    this.#clock.setTimeout(() => {
      this.#isChecking = false;
      if (this.#parked || this.#closed || this.#isBusy()) return;
      this.#parked = true;
      this.#places?.give();
    }, 0);
  }

  /** Resolves when there is a place again. Undefined: there is. */
  leave(): Promise<void> | undefined {
    if (!this.#parked) return undefined;
    this.#leaving ??= (async () => {
      await this.#places?.take();
      this.#parked = false;
      this.#leaving = undefined;
      if (this.#closed) this.#places?.give();
    })();
    return this.#leaving;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#parked) this.#places?.give();
  }
}
