import type { PrunePolicy, RunSummary } from "./engine.ts";
import { replay } from "./replay.ts";
import { RunError } from "./run-error.ts";
import type { RunStatus } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { recordError } from "./step-errors.ts";

/**
 * A line about a run. A run that has ended is not read as a whole. Whatever is wrong with one run, the others are listed: a
 * run that cannot be read says so, and one that has just been removed is left out.
 */
export function summarize(store: RunStore, runId: string): RunSummary | undefined {
  try {
    const ends = store.ends(runId);
    if (ends === undefined || ends.first.type !== "run-created") {
      store.read(runId); // which names the record that is wrong
      const status: RunStatus = { kind: "damaged", reason: "its journal is empty or not a journal" };
      return { runId, name: undefined, status, createdAt: 0, updatedAt: 0, bytes: store.size(runId) };
    }
    const { first, last } = ends;
    const status = last.type === "run-ended" ? { ...last.outcome, at: last.at } : openStatus(store, runId);
    const bytes = store.size(runId);
    return { runId, name: first.name, status, createdAt: first.at, updatedAt: last.at, bytes };
  } catch (error) {
    if (error instanceof RunError && error.code === "run-not-found") return undefined;
    const status: RunStatus = { kind: "damaged", reason: recordError(error).message };
    return { runId, name: undefined, status, createdAt: 0, updatedAt: 0, bytes: 0 };
  }
}

function openStatus(store: RunStore, runId: string): RunStatus {
  try {
    const status = replay(store.read(runId))?.status ?? { kind: "pending" };
    const isOwned = status.kind === "running" || status.kind === "waiting";
    if (!isOwned || store.isAlive(runId, status.owner)) return status;
    return { kind: "interrupted", owner: status.owner };
  } catch (error) {
    if (error instanceof RunError && error.code === "damaged") return { kind: "damaged", reason: error.message };
    throw error;
  }
}

/** Which runs to remove: only those that have ended, and of these the ones that ended first. Pure. */
export function planPrune(runs: readonly RunSummary[], policy: PrunePolicy, now: number): RunSummary[] {
  const { olderThanMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = policy;
  const ended = runs
    .filter(({ status: { kind } }) => kind === "done" || kind === "failed" || kind === "cancelled")
    .sort((one, other) => one.updatedAt - other.updatedAt);
  let bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  return ended.filter((run) => {
    const goes = now - run.updatedAt > olderThanMs || bytes > maxBytes;
    if (goes) bytes -= run.bytes;
    return goes;
  });
}
