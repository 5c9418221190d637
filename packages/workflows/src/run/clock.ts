/** The time for runs. Tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970, as the computer's clock shows them. May jump. */
  now(): number;
  /** Milliseconds that never jump. Timers use them. */
  monotonic(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

/** Longer delays make real timers fire at once. */
const longest = 2 ** 31 - 1;

/** Calls back after any time, however long. Returns a function that cancels it. */
export function after(clock: Clock, milliseconds: number, callback: () => void): () => void {
  const due = clock.monotonic() + milliseconds;
  let timer: unknown;
  const set = (left: number): void => {
    timer = clock.setTimeout(
      () => (left > longest ? set(due - clock.monotonic()) : callback()),
      Math.min(left, longest),
    );
  };
  set(Math.max(0, milliseconds));
  return () => clock.clearTimeout(timer);
}

/**
 * How long to keep waiting for a deadline that another process has set. If the clock was set back, the wait is still no
 * longer than was first asked for.
 */
export function remaining(clock: Clock, until: number, asked: number): number {
  return Math.min(Math.max(0, until - clock.now()), asked);
}
