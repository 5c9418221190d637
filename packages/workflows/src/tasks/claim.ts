// Who took a task: the `idemKey` of the pick, `<run>/<path of the loop>#<iteration>:pick`. It is the same for every attempt
// at that pick, also after a crash, and no other pick has it.
import type { Engine } from "../run/engine.ts";
import { RunError } from "../run/run-error.ts";

/** A run's id has no slash. */
export function runOf(claim: string): string {
  const slash = claim.indexOf("/");
  return slash === -1 ? claim : claim.slice(0, slash);
}

/** The runs that tasks were taken by, each once. */
export function claimingRuns(tasks: Iterable<{ readonly claimedBy?: string | undefined }>): string[] {
  return [...new Set([...tasks].flatMap(({ claimedBy }) => (claimedBy === undefined ? [] : [runOf(claimedBy)])))];
}

/**
 * Iterations of one loop, and of the loops around it, come one after the other: of two picks that differ in nothing else,
 * the earlier one is over.
 */
export function isSameLoop(claim: string, other: string): boolean {
  const [loop, otherLoop] = [claim, other].map((each) => each.replaceAll(/#\d+/g, "#"));
  return loop === otherLoop;
}

const live: ReadonlySet<string> = new Set(["running", "waiting", "paused", "cancelling"]);

/**
 * Whether a run is being worked on, so that its tasks are not to be taken. Those of a run that was interrupted, released or
 * stopped may be: if it resumes later, it finds them taken.
 */
export function liveRuns(engine: () => Pick<Engine, "status">): (runId: string) => Promise<boolean> {
  return async (runId) => {
    try {
      return live.has((await engine().status(runId)).kind);
    } catch (error) {
      // Removed since, from another machine, or written by hand.
      if (error instanceof RunError && (error.code === "run-not-found" || error.code === "bad-request")) return false;
      throw error;
    }
  };
}
