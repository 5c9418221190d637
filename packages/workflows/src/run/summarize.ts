import type { RunSummary } from "./engine.ts";
import type { RunEvent } from "./events.ts";
import { replay } from "./replay.ts";
import { RunError } from "./run-error.ts";
import type { RunStatus } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { recordError } from "./step-errors.ts";

/**
 * A line about a run. One that has ended is not read as a whole. Whatever is wrong with one, the others are listed: one that
 * cannot be read says so, and one that has just been removed is left out.
 */
export function summarize(store: RunStore, runId: string): RunSummary | undefined {
  try {
    return read(store, runId);
  } catch (error) {
    if (error instanceof RunError && error.code === "run-not-found") return undefined;
    const status: RunStatus = { kind: "damaged", reason: recordError(error).message };
    return { runId, name: undefined, status, createdAt: 0, updatedAt: 0, bytes: 0 };
  }
}

function read(store: RunStore, runId: string): RunSummary {
  const ends = store.ends(runId);
  const first = ends?.first;
  if (ends === undefined || first?.type !== "run-created") {
    store.read(runId); // which names the record that is wrong
    const reason = "its journal is empty or no journal";
    return summary(store, runId, { kind: "damaged", reason }, undefined, 0, 0);
  }
  const status = endOf(ends.last) ?? statusOf(store, runId);
  return summary(store, runId, status, first.name, first.at, ends.last.at);
}

function endOf(last: RunEvent): RunStatus | undefined {
  return last.type === "run-ended" ? { ...last.outcome, at: last.at } : undefined;
}

function statusOf(store: RunStore, runId: string): RunStatus {
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

function summary(
  store: RunStore,
  runId: string,
  status: RunStatus,
  name: string | undefined,
  createdAt: number,
  updatedAt: number,
): RunSummary {
  return { runId, name, status, createdAt, updatedAt, bytes: store.size(runId) };
}
