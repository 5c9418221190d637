/** The part of a clock that waiting needs. */
export interface WatchTimers {
  /** Milliseconds that have passed; never jumps. */
  monotonic(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface DebounceOptions {
  /** How long it must be quiet before the action. */
  readonly quietMs: number;
  /** How long the action waits at most when it never gets quiet. */
  readonly mostMs: number;
  readonly timers: WatchTimers;
}

export interface Debounced {
  /** Something happened: act soon, once for all that happens meanwhile. */
  poke(): void;
  /** Forgets what was going to happen. */
  cancel(): void;
}

export function debounce(action: () => void, { quietMs, mostMs, timers }: DebounceOptions): Debounced {
  let timer: unknown;
  let firstPoke: number | undefined;
  const cancel = (): void => {
    if (timer !== undefined) timers.clearTimeout(timer);
    timer = undefined;
    firstPoke = undefined;
  };
  const poke = (): void => {
    const now = timers.monotonic();
    const first = firstPoke ?? now;
    cancel();
    firstPoke = first;
    timer = timers.setTimeout(
      () => {
        cancel();
        action();
      },
      Math.max(0, Math.min(quietMs, first + mostMs - now)),
    );
  };
  return { poke, cancel };
}

/** Real time. Without `keepAlive`, a timer does not keep the process from ending. */
export function realTimers(keepAlive: boolean): WatchTimers {
  return {
    monotonic: () => performance.now(),
    setTimeout(callback, milliseconds) {
      const timer = setTimeout(callback, milliseconds);
      if (!keepAlive) timer.unref();
      return timer;
    },
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  };
}
