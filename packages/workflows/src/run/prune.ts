import type { PrunePolicy, RunSummary } from "./engine.ts";

const endings: readonly string[] = ["done", "failed", "cancelled"];

/** Which runs to remove. Only those that have ended, and of these the ones that ended first. Pure. */
export function planPrune(runs: readonly RunSummary[], policy: PrunePolicy, now: number): RunSummary[] {
  const { olderThanMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = policy;
  const ended = runs
    .filter(({ status }) => endings.includes(status.kind))
    .sort((one, other) => one.updatedAt - other.updatedAt);
  let bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  return ended.filter((run) => {
    const goes = now - run.updatedAt > olderThanMs || bytes > maxBytes;
    if (goes) bytes -= run.bytes;
    return goes;
  });
}
