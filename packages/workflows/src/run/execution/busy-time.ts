import { after, type Clock } from "../clock.ts";

/** Measures how long at least one step has been at work, with an alarm for when that has been long enough. */
export class BusyTime {
  readonly #clock: Clock;
  running = 0;
  /** The running steps that are at work; the others wait for an answer. */
  working = 0;
  /** The time up to which it has been counted. */
  #counted = 0;
  #rest = 0;
  #cancelAlarm: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(now: number = this.#clock.monotonic()): void {
    this.running += 1;
    this.resume(now);
  }

  end(now: number = this.#clock.monotonic()): void {
    this.suspend(now);
    this.running -= 1;
  }

  /** One of the running steps waits for an answer. */
  suspend(now: number = this.#clock.monotonic()): void {
    this.#take(now);
    this.working -= 1;
    if (this.working === 0) this.#cancelAlarm?.();
  }

  resume(now: number = this.#clock.monotonic()): void {
    if (this.working === 0) this.#counted = now;
    this.working += 1;
  }

  /** Whole milliseconds since the last call; the remainder counts at the next one. */
  count(): number {
    if (this.working > 0) this.#take(this.#clock.monotonic());
    const whole = Math.floor(this.#rest);
    this.#rest -= whole;
    return whole;
  }

  /** Calls back after this much more busy time. */
  setAlarm(milliseconds: number, callback: () => void): void {
    this.#cancelAlarm?.();
    this.#take(this.#clock.monotonic());
    if (this.working > 0) this.#cancelAlarm = after(this.#clock, milliseconds - this.#rest, callback);
  }

  clear(): void {
    this.#cancelAlarm?.();
  }

  #take(now: number): void {
    if (this.working === 0) return;
    this.#rest += now - this.#counted;
    this.#counted = now;
  }
}
