// Those who wait for something, by what they wait for. Nothing of a wait is left when it is over: no timer, and no listener.

/** A timer with more than this fires at once. */
export const longestTimer = 2 ** 31 - 1;

export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();
  #isClosed = false;

  /** Resolves when `key` is released, or the time is over, or the signal is aborted, or no one can wait any more. */
  async wait(key: string, { signal, ms }: { signal?: AbortSignal; ms?: number | undefined }): Promise<void> {
    if (this.#isClosed || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      const stop = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        waiting.delete(stop);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      this.#waiting.set(key, waiting.add(stop));
      signal?.addEventListener("abort", stop);
      const timer = ms === undefined ? undefined : setTimeout(stop, Math.min(ms, longestTimer));
    });
  }

  release(key: string): void {
    for (const stop of this.#waiting.get(key) ?? []) stop();
  }

  /** Releases everyone, now and later. */
  close(): void {
    this.#isClosed = true;
    for (const key of this.#waiting.keys()) this.release(key);
  }
}
