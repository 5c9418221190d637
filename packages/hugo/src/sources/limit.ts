/** What ends something that takes its time: the clock, or somebody who does not want it any more. */
export interface Limit {
  /** Rejects, and never settles otherwise. */
  readonly reached: Promise<never>;
  /** Aborted when it does not matter any more: by `end`. */
  readonly over: AbortSignal;
  end(): void;
}

export function limitOf(milliseconds: number, tooSlow: () => Error, signal: AbortSignal | undefined): Limit {
  const over = new AbortController();
  let alarm: NodeJS.Timeout | undefined;
  const reached = new Promise<never>((_resolve, reject) => {
    alarm = setTimeout(() => reject(tooSlow()), Math.max(milliseconds, 0));
    signal?.addEventListener("abort", () => reject(signal.reason), { signal: over.signal });
    if (signal?.aborted) reject(signal.reason);
  });
  // Whoever races with it is told; in between nobody needs to know.
  reached.catch(() => undefined);
  return {
    reached,
    over: over.signal,
    end: () => {
      clearTimeout(alarm);
      over.abort();
    },
  };
}
