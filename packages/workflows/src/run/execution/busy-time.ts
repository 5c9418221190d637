import { after, type Clock } from "../clock.ts";

/** How long at least one step has been at work, and an alarm for when that has been long enough. */
export class BusyTime {
  readonly #clock: Clock;
  #running = 0;
  /** Of those that run, how many are at work: the others wait for an answer. */
  #working = 0;
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

  get working(): number {
    return this.#working;
  }

  begin(now: number = this.#clock.monotonic()): void {
    this.#running += 1;
    this.resume(now);
  }

  end(now: number = this.#clock.monotonic()): void {
    this.suspend(now);
    this.#running -= 1;
  }

  /** One of the running steps waits for an answer. */
  suspend(now: number = this.#clock.monotonic()): void {
    this.#take(now);
    this.#working -= 1;
    if (this.#working === 0) this.#cancelAlarm?.();
  }

  resume(now: number = this.#clock.monotonic()): void {
    if (this.#working === 0) this.#counted = now;
    this.#working += 1;
  }

  /** Whole milliseconds since this was last asked; what is left over counts the next time. */
  count(): number {
    if (this.#working > 0) this.#take(this.#clock.monotonic());
    const whole = Math.floor(this.#rest);
    this.#rest -= whole;
    return whole;
  }

  /** Calls back after this much more busy time. */
  setAlarm(milliseconds: number, callback: () => void): void {
    this.#cancelAlarm?.();
    this.#take(this.#clock.monotonic());
    if (this.#working > 0) this.#cancelAlarm = after(this.#clock, milliseconds - this.#rest, callback);
  }

  clear(): void {
    this.#cancelAlarm?.();
  }

  #take(now: number): void {
    if (this.#working === 0) return;
    this.#rest += now - this.#counted;
    this.#counted = now;
  }
}
