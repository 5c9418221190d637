import type { Backoff } from "../run-ctx.ts";

/** Milliseconds to wait after this many failures. */
export function delayAfter(failures: number, { ms = 1000, factor = 2, maxMs = 60_000 }: Backoff = {}): number {
  return Math.min(maxMs, ms * factor ** (failures - 1));
}
