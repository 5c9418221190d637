import { after, type Clock } from "../clock.ts";

/** Calls back after a time that passes only while it goes. */
export class Countdown {
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

  /** Milliseconds that have passed since it last began to go. */
  stop(): number {
    if (this.#since === undefined) return 0;
    this.#cancel();
    const passed = this.#clock.monotonic() - this.#since;
    this.#since = undefined;
    this.#left -= passed;
    return passed;
  }
}
