// The runs of the page `/runs`, and which of them is chosen. Pure.
import type { RunSummary } from "@atomic/workflows/internal/run/engine";
import type { FollowedRun } from "./followed-runs.ts";
import { shownStatus } from "./run-words.ts";

export interface RunList {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** The chosen run stays chosen when others are added. Undefined if there is none. */
  readonly selected: string | undefined;
}

/** The list with what is open now, or has just ended. */
export function withRuns({ runs, selected }: RunList, open: readonly FollowedRun[]): RunList {
  const now = new Map(open.map((run) => [run.runId, run]));
  const listed = runs.map((summary) => {
    const run = now.get(summary.runId);
    now.delete(summary.runId);
    return run === undefined ? summary : { ...summary, status: shownStatus(run) };
  });
  const fresh = [...now.values()].map((run) => {
    const { name, createdAt, updatedAt } = run.view.state;
    return { runId: run.runId, name, createdAt, updatedAt, status: shownStatus(run), bytes: 0 };
  });
  const all = [...fresh, ...listed];
  return { runs: all, selected: selected ?? all[0]?.runId };
}

/** Another run is chosen: so many rows below, or above. */
export function movedBy({ runs, selected }: RunList, rows: number): RunList {
  const at = runs.findIndex(({ runId }) => runId === selected) + rows;
  return { runs, selected: runs[Math.max(0, Math.min(runs.length - 1, at))]?.runId };
}
