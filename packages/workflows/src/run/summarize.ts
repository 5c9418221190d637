import type { RunSummary } from "./engine.ts";
import { replay } from "./replay.ts";
import { RunError } from "./run-error.ts";
import type { RunStatus } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { recordError } from "./step-errors.ts";

/**
 * One line of a list. A run that has ended is not read as a whole. Whatever is wrong with one run, the others are listed: a
 * run that cannot be read is `damaged`, and one that was just removed is left out.
 */
export async function summarize(store: RunStore, runId: string): Promise<RunSummary | undefined> {
  try {
    const ends = await store.ends(runId);
    if (ends === undefined || ends.first.type !== "run-created") {
      await store.read(runId); // which names the record that is wrong
      const status: RunStatus = { kind: "damaged", reason: "its journal is empty or is not a journal" };
      return { runId, name: undefined, status, createdAt: 0, updatedAt: 0, bytes: await store.size(runId) };
    }
    const { first, last } = ends;
    const status = last.type === "run-ended" ? { ...last.outcome, at: last.at } : await openStatus(store, runId);
    const bytes = await store.size(runId);
    return { runId, name: first.name, status, createdAt: first.at, updatedAt: last.at, bytes };
  } catch (error) {
    if (error instanceof RunError && error.code === "run-not-found") return undefined;
    const status: RunStatus = { kind: "damaged", reason: recordError(error).message };
    return { runId, name: undefined, status, createdAt: 0, updatedAt: 0, bytes: 0 };
  }
}

async function openStatus(store: RunStore, runId: string): Promise<RunStatus> {
  try {
    const status = replay(await store.read(runId))?.status ?? { kind: "pending" };
    const isOwned = status.kind === "running" || status.kind === "waiting";
    if (!isOwned || (await store.isAlive(runId, status.owner))) return status;
    return { kind: "interrupted", owner: status.owner };
  } catch (error) {
    if (error instanceof RunError && error.code === "damaged") return { kind: "damaged", reason: error.message };
    throw error;
  }
}
