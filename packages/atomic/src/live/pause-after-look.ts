const longestMs = 2000;

/**
 * How long to wait before a run is looked at again. A look that takes long is not repeated at once, but a database that was away
 * for half a minute is not left alone for another minute and a half.
 */
export function pauseAfterLook(tookMs: number, everyMs: number): number {
  return Math.min(longestMs, Math.max(everyMs, 3 * tookMs));
}
