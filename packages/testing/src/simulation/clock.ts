// Time that moves only on request. What product code takes as its clock, and the fake that tests give it.

export type TimerId = number;

export interface SimulatedClock {
  /** Milliseconds since 1970, as the computer's clock shows them. May jump. */
  now(): number;
  /** Milliseconds that have passed. Never jumps; timers go by it. */
  monotonic(): number;
  setTimeout(callback: () => void, milliseconds: number): TimerId;
  setInterval(callback: () => void, milliseconds: number): TimerId;
  /** Ends a timeout or an interval. */
  clearTimeout(timer: TimerId | undefined): void;
  /** Rejects with the signal's reason when that is aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface FakeClock extends SimulatedClock {
  /** Lets time pass: every timer that falls due fires in its turn, and what it wakes runs before the next one. */
  advance(milliseconds: number): Promise<void>;
  /** Lets time pass until no timer is left. */
  runAll(most?: number): Promise<void>;
  /** Someone sets the computer's clock, or it wakes from sleep. */
  jump(milliseconds: number): void;
  /** When the next timer is due, in monotonic time. */
  nextDue(): number | undefined;
  /** Moves time to the next timer and fires it. */
  fireNext(): void;
}

interface Timer {
  readonly id: TimerId;
  readonly callback: () => void;
  readonly due: number;
  readonly interval: number | undefined;
}

export function fakeClock(start: { now?: number; monotonic?: number } = {}): FakeClock {
  const timers = new Map<TimerId, Timer>();
  let monotonic = start.monotonic ?? 0;
  let offset = (start.now ?? Date.UTC(2026, 0, 1)) - monotonic;
  let lastId = 0;

  const add = (callback: () => void, delay: number, interval: number | undefined, id = ++lastId): TimerId => {
    // As real timers do: anything that is not a positive number means as soon as possible.
    timers.set(id, { id, callback, due: monotonic + Math.max(delay || 0, 0), interval });
    return id;
  };
  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers.values()) if (first === undefined || timer.due < first.due) first = timer;
    return first;
  };
  const fire = (timer: Timer): void => {
    monotonic = Math.max(monotonic, timer.due);
    timers.delete(timer.id);
    if (timer.interval !== undefined) add(timer.callback, Math.max(1, timer.interval), timer.interval, timer.id);
    timer.callback();
  };

  const clock: FakeClock = {
    now: () => monotonic + offset,
    monotonic: () => monotonic,
    setTimeout: (callback, delay) => add(callback, delay, undefined),
    setInterval: (callback, delay) => add(callback, delay, delay),
    clearTimeout: (timer) => {
      if (timer !== undefined) timers.delete(timer);
    },
    sleep: (delay, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const abort = (): void => {
          clock.clearTimeout(timer);
          reject(signal?.reason);
        };
        const timer = clock.setTimeout(() => {
          signal?.removeEventListener("abort", abort);
          resolve();
        }, delay);
        signal?.addEventListener("abort", abort, { once: true });
      }),
    advance: async (milliseconds) => {
      const end = monotonic + milliseconds;
      for (let timer = next(); timer !== undefined && timer.due <= end; timer = next()) {
        fire(timer);
        await quiet();
      }
      monotonic = end;
    },
    runAll: async (most = 1000) => {
      for (let fired = 0; timers.size > 0; fired++) {
        if (fired === most) throw new Error(`${most} timers fired, and ${timers.size} are still set.`);
        clock.fireNext();
        await quiet();
      }
    },
    jump: (milliseconds) => {
      offset += milliseconds;
    },
    nextDue: () => next()?.due,
    fireNext: () => {
      const timer = next();
      if (timer !== undefined) fire(timer);
    },
  };
  return clock;
}

/** Resolves when everything that could run without time passing has run. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
