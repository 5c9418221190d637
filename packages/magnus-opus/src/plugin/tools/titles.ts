// What OpenCode shows of a finished call of our tools.
import { type BackgroundTask, isOpen } from "../../background/task.ts";
import { waitsForPerson } from "../../run/gates.ts";
import { phases } from "../../run/phases.ts";
import { verdictOf } from "../../run/review.ts";
import type { MagnusState } from "../../run/state.ts";

/** The same for tasks: what is delegated to whom, and what has become of it. */
export function taskTitle(name: string, args: unknown, tasks: readonly BackgroundTask[] = []): string {
  const given = (args ?? {}) as Readonly<Record<string, unknown>>;
  if (name === "delegate_task" || name === "background_task") {
    const { description, subagent_type, agent, category } = given;
    const who = [subagent_type, agent, category].find((each) => typeof each === "string" && each.trim() !== "");
    return `${typeof description === "string" ? description : "Delegate"}${who === undefined ? "" : ` (${who})`}`;
  }
  const named = tasks.find(({ id }) => id === given.task_id);
  if (named === undefined) return `Background tasks: ${tasks.filter(isOpen).length} open`;
  const { stage, description } = named;
  const state = stage.kind === "over" ? stage.outcome.kind : stage.kind === "queued" ? "queued" : "working";
  return `${description}: ${state}`;
}

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

/** What all reviewers together say. */
export const conclusionTitle: Title = (state) => {
  const last = state?.conclusions.at(-1);
  return last === undefined ? "Review" : `Review: ${last.because}`;
};
