// What OpenCode shows of a finished call of our tools.
import { waitsForPerson } from "../../run/gates.ts";
import { phases } from "../../run/phases.ts";
import { verdictOf } from "../../run/review.ts";
import type { MagnusState } from "../../run/state.ts";

type Title = (state: MagnusState | undefined) => string;

/** Where the run is now. */
export const phaseTitle: Title = (state) => {
  if (state === undefined) return "No run";
  const { status, phase } = state;
  if (status.kind === "paused") return `Paused (${status.reason})`;
  if (status.kind !== "running") return `The run is ${status.kind}`;
  return `${waitsForPerson(state) ? "Waiting for you" : "Phase"}: ${phases[phase].title}`;
};

export const testsTitle: Title = (state) => {
  const last = state?.evidence.at(-1);
  if (last?.counts === undefined) return "Tests";
  return `Tests: ${last.counts.passed} passed, ${last.counts.failed} failed`;
};

export const reviewTitle: Title = (state) => {
  const last = state?.votes.at(-1);
  if (last === undefined) return "Review";
  return `Review by ${last.reviewer}: ${"abstains" in last.submission ? "abstained" : verdictOf(last.submission)}`;
};
