/** The part of a clock that waiting needs. */
export interface WatchTimers {
  /** Elapsed milliseconds; never jumps. */
  monotonic(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface DebounceOptions {
  /** How long to wait after the last poke. */
  readonly quietMs: number;
  /** How long the action waits at most if pokes keep coming. */
  readonly mostMs: number;
  readonly timers: WatchTimers;
}

export interface Debounced {
  /** Something happened: act soon, once for everything that happens until then. */
  poke(): void;
  /** Cancels a pending action. */
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

/** Real time. Without `keepAlive`, a timer does not keep the process running. */
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
