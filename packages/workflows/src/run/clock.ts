/** Time as runs see it. Tests give their own. */
export interface Clock {
  /** Milliseconds since 1970, as the computer's clock shows them. May jump. */
  now(): number;
  /** Milliseconds that have passed. Never jumps; timers go by it. */
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

/** Calls back after any time, however long; returns the way to call it off. */
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
 * How long to keep waiting for a deadline that another process has set. A clock that was set back makes nobody wait for
 * longer than was asked for in the beginning.
 */
export function remaining(clock: Clock, until: number, asked: number): number {
  return Math.min(Math.max(0, until - clock.now()), asked);
}
