// What to do next, as data. The texts are in Markdown.
import { withCommands } from "./command-names.ts";
import {
  agentsFor,
  hasRed,
  isBuildAllowed,
  isOutdated,
  tallyOf,
  type UnmetCondition,
  unmetConditions,
  waitsForPerson,
} from "./gates.ts";
import { personCommand } from "./person-commands.ts";
import type { PhaseName, Role } from "./phase-name.ts";
import { accessIn, phases, phasesOf, usesTdd } from "./phases.ts";
import { howToContinue, howToSatisfy, planNotApproved } from "./refusal.ts";
import { ballotsOf, type Objection, objectionsOf, type ReviewFinding, worstFirst } from "./review.ts";
import { currentVisit, type MagnusState, type Status, visitsOf } from "./state.ts";

interface Wanted extends UnmetCondition {
  /** How to get it, and how a person continues without it. */
  readonly satisfy: string;
  readonly waive: string;
}

export type NextStep =
  | {
      readonly do: "work";
      readonly phase: PhaseName;
      readonly title: string;
      /** The agents to delegate to; may include the orchestrator itself. */
      readonly agents: readonly string[];
      readonly artifacts: readonly string[];
      readonly missing: readonly Wanted[];
      /** What the check found that sent the work back here, and what its reviewers said. */
      readonly findings: readonly ReviewFinding[];
      readonly objections: readonly Objection[];
      /** What the person who sent the work back here said. */
      readonly notes: string | undefined;
      /** API_FOCUSED is test-driven: write a failing test, then make it pass. */
      readonly tdd: "red" | "green" | undefined;
    }
  | {
      readonly do: "wait";
      readonly phase: PhaseName;
      readonly missing: readonly Wanted[];
      /** What a person should know before saying yes. */
      readonly concerns: readonly string[];
      /** What the reviewers of this phase want changed. */
      readonly objections: readonly Objection[];
      /** How a person sends the work back. */
      readonly reject: string;
    }
  | {
      readonly do: "paused";
      readonly reason: string;
      readonly detail: string;
      readonly satisfy: string;
      readonly findings: readonly ReviewFinding[];
      readonly objections: readonly Objection[];
    }
  | { readonly do: "over"; readonly status: Status };

export function nextStep(state: MagnusState): NextStep {
  const { phase, status } = state;
  if (status.kind === "paused") {
    const { reason, detail } = status;
    return { do: "paused", reason, detail, satisfy: howToContinue(state, status), ...sentBackWith(state) };
  }
  if (status.kind !== "running") return { do: "over", status };
  const missing: Wanted[] = unmetConditions(state).map((lack) => ({
    ...lack,
    satisfy: howToSatisfy(state, lack),
    waive: personCommand(state, "waive", lack.gate),
  }));
  const isPlanning = phase === "architecture" || phase === "plan-review";
  const lostPlan = !isBuildAllowed(state) && visitsOf(state, "architecture") > 0 && !isPlanning;
  if (lostPlan || waitsForPerson(state)) {
    if (lostPlan) {
      const { missing: what, satisfy, waive } = planNotApproved(state);
      missing.unshift({ gate: "user_approval", what, needs: "person", satisfy, waive });
    }
    const outdated = phasesOf(state).filter((name) => isOutdated(state, name));
    const reviews = state.votes.filter((vote) => vote.phase === "code-review");
    const concerns = [
      ...state.waivers.map(({ gate, phase: where, why }) => `${gate} was waived in ${where}: ${why}`),
      ...outdated.map(
        (name) =>
          `${phases[name].title} covered earlier versions of the files; the current ones have not been reviewed. To repeat it: ${withCommands(`\`/reject --to=${name} <reason>\``, state.commandNames)}`,
      ),
      ...(new Set(reviews.map(({ model }) => model)).size === 1 ? ["single-model review"] : []),
    ];
    const isDisputed = missing.some(({ gate }) => gate === "all_reviewers_approve" || gate === "pass_or_fix");
    const objections = isDisputed ? objectionsOf(tallyOf(state).ballots) : [];
    return { do: "wait", phase, missing, concerns, objections, reject: personCommand(state, "reject") };
  }
  return {
    do: "work",
    phase,
    title: phases[phase].title,
    agents: agentsIn(state),
    artifacts: phases[phase].outputs.map((name) => `${state.folder}/${name}`),
    missing,
    ...sentBackWith(state),
    notes: state.rejections.findLast(({ at }) => at === currentVisit(state).from)?.notes,
    tdd: phase === "implementation" && usesTdd(state) ? (hasRed(state) ? "green" : "red") : undefined,
  };
}

/** What the check that sent the work back here found, worst first, and who objected. */
function sentBackWith(state: MagnusState): { findings: readonly ReviewFinding[]; objections: readonly Objection[] } {
  const before = state.visits.at(-2);
  if (before?.left !== "sent-back" || phases[before.phase].sendsBackTo !== state.phase) {
    return { findings: [], objections: [] };
  }
  const votes = state.votes.filter((vote) => vote.phase === before.phase && vote.visit === before.number);
  const ballots = ballotsOf(votes);
  const found = ballots.flatMap(({ submission }) => ("findings" in submission ? submission.findings : []));
  return { findings: worstFirst(found), objections: objectionsOf(ballots) };
}

/** The names of this phase's agents. */
export function agentsIn(state: MagnusState): readonly string[] {
  const access = accessIn(state, state.phase);
  const working = (Object.keys(access) as Role[]).filter((role) => role !== "explorer");
  return working.flatMap((role) => agentsFor(state, role));
}
