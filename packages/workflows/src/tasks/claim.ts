// What claimed a task: the pick's `idemKey`, `<run>/<path of the loop>#<iteration>:pick`. It is the same for every attempt at
// that pick, even after a crash, and no other pick has it.
import type { Engine } from "../run/engine.ts";
import { RunError } from "../run/run-error.ts";

/** A run's id has no slash. */
export function runOf(claim: string): string {
  const slash = claim.indexOf("/");
  return slash === -1 ? claim : claim.slice(0, slash);
}

/** The runs that claimed tasks, each once. */
export function claimingRuns(tasks: Iterable<{ readonly claimedBy?: string | undefined }>): string[] {
  return [...new Set([...tasks].flatMap(({ claimedBy }) => (claimedBy === undefined ? [] : [runOf(claimedBy)])))];
}

const live: ReadonlySet<string> = new Set(["running", "waiting", "paused", "cancelling"]);

/**
 * Whether a process is working on a run, so its tasks must not be taken. The tasks of a run that was interrupted, released
 * or stopped may be taken: if it resumes later, it finds that they are.
 */
export function liveRuns(engine: () => Pick<Engine, "status">): (runId: string) => Promise<boolean> {
  return async (runId) => {
    try {
      return live.has((await engine().status(runId)).kind);
    } catch (error) {
      // The run was removed, is on another machine, or was written by hand.
      if (error instanceof RunError && (error.code === "run-not-found" || error.code === "bad-request")) return false;
      throw error;
    }
  };
}
