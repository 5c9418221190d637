import type { Backoff } from "../run-ctx.ts";

/** A delay is journaled as a date. */
const longestMs = 365 * 24 * 3600_000;

/** Milliseconds to wait after this many failures. */
export function delayAfter(failures: number, { ms = 1000, factor = 2, maxMs = 60_000 }: Backoff = {}): number {
  return Math.min(longestMs, maxMs, ms * Math.min(factor ** (failures - 1), Number.MAX_VALUE));
}
