import type { Engine } from "../run/engine.ts";
import { RunError } from "../run/run-error.ts";
import type { RunStatus } from "../run/run-state.ts";

const live: ReadonlySet<RunStatus["kind"]> = new Set(["running", "waiting", "paused", "cancelling"]);

/**
 * Whether somebody works on a run, so that its tasks are not to be taken. Of a run that was interrupted, given back or
 * stopped they are: if it goes on later, it finds them taken.
 */
export function liveRuns(engine: () => Pick<Engine, "status">): (runId: string) => Promise<boolean> {
  return async (runId) => {
    try {
      return live.has((await engine().status(runId)).kind);
    } catch (error) {
      // Removed since, of another machine, or written by hand.
      if (error instanceof RunError && (error.code === "run-not-found" || error.code === "bad-request")) return false;
      throw error;
    }
  };
}
