import { after, type Clock } from "../clock.ts";

/** How long at least one step has been running, and an alarm for when that has been long enough. */
export class BusyTime {
  readonly #clock: Clock;
  #running = 0;
  /** Until when it has been counted. */
  #counted = 0;
  #rest = 0;
  #cancelAlarm: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get running(): number {
    return this.#running;
  }

  begin(): void {
    if (this.#running === 0) this.#counted = this.#clock.monotonic();
    this.#running += 1;
  }

  end(): void {
    this.#take();
    this.#running -= 1;
    if (this.#running === 0) this.#cancelAlarm?.();
  }

  /** Whole milliseconds since this was last asked; what is left over counts the next time. */
  count(): number {
    this.#take();
    const whole = Math.floor(this.#rest);
    this.#rest -= whole;
    return whole;
  }

  /** Calls back after so much more of it. */
  setAlarm(milliseconds: number, callback: () => void): void {
    this.#cancelAlarm?.();
    this.#take();
    if (this.#running > 0) this.#cancelAlarm = after(this.#clock, milliseconds - this.#rest, callback);
  }

  clear(): void {
    this.#cancelAlarm?.();
  }

  #take(): void {
    if (this.#running === 0) return;
    const now = this.#clock.monotonic();
    this.#rest += now - this.#counted;
    this.#counted = now;
  }
}
