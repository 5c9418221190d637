// The head of a timeline: what the run is, and how it stands.
import { formatDuration } from "@atomic/terminal/duration";
import { nextStep } from "../run/next-step.ts";
import type { RunState } from "../run/state.ts";
import { moment, money, tokens } from "./amounts.ts";
import type { Tone } from "./describe-event.ts";
import type { Timeline } from "./timeline.ts";

export interface Summary {
  readonly status: string;
  readonly tone: Tone;
  /** Name and value. */
  readonly facts: readonly (readonly [string, string])[];
  /** What whoever accepts the work should know. */
  readonly concerns: readonly string[];
}

export function summaryOf({ state, from, to, stays }: Timeline): Summary {
  const { spent, flow, workflow, refusals, ignored, worktree, folder } = state;
  const next = nextStep(state);
  const waited = stays.reduce((sum, { waitedMs }) => sum + waitedMs, 0);
  const time =
    waited > 0
      ? `${formatDuration(to - from)}, of it ${formatDuration(waited)} for a person`
      : formatDuration(to - from);
  return {
    ...statusOf(state),
    facts: [
      ["run", `${flow}, ${workflow}`],
      ["began", moment(from)],
      ["time", time],
      ["cost", `${money(spent.run.usd)}, ${tokens(spent.run.tokens)} tokens, ${spent.run.sessions} sessions`],
      ["refusals", String(refusals)],
      ...(ignored > 0 ? [["ignored", `${ignored} events that were not allowed to happen`] as const] : []),
      ["folder", `${worktree}/${folder}`],
    ],
    concerns: next.do === "wait" ? next.concerns : [],
  };
}

export function statusOf({ status, phase }: RunState): { status: string; tone: Tone } {
  switch (status.kind) {
    case "running":
      return { status: `running, in ${phase}`, tone: "plain" };
    case "paused":
      return { status: `paused in ${phase} (${status.reason}): ${status.detail}`, tone: "warn" };
    case "done":
      return { status: "done", tone: "good" };
    case "cancelled":
      return { status: `cancelled in ${phase}${status.why === "" ? "" : `: ${status.why}`}`, tone: "bad" };
  }
}
