// What holds for every state that a journal can lead to. Tests walk through random runs and look at this.
import { phaseNames } from "../../src/run/phase-name.ts";
import { approvalPhase, isReport, phasesOf } from "../../src/run/phases.ts";
import { currentVisit, isWaived, type MagnusState, visitsOf } from "../../src/run/state.ts";

/** What is wrong with a state; nothing is. */
export function violations(state: MagnusState): readonly string[] {
  const { phase, status, visits, rounds, options } = state;
  const isPastPlan = phaseNames.indexOf(phase) > phaseNames.indexOf("plan-review");
  const isBuild = !isReport(state);
  const rules: readonly (readonly [string, boolean])[] = [
    ["the phase is one of the run's", phasesOf(state).includes(phase)],
    ["the last visit is of the phase", currentVisit(state).phase === phase],
    ["only the last visit is open", visits.slice(0, -1).every(({ left }) => left !== undefined)],
    [
      "an open visit means that the run is not done",
      (currentVisit(state).left === undefined) !==
        (status.kind === "done" || (status.kind === "paused" && status.wasDone === true)),
    ],
    ["nothing is built before the plan is approved", !(isPastPlan && isBuild) || wasApproved(state, "architecture")],
    // Whatever changes after the acceptance was not changed by the run: nothing may be built in its last phase.
    ["done means accepted", !(status.kind === "done" && isBuild) || wasApproved(state, "acceptance")],
    ["no check sends back too often", Object.values(rounds).every((count) => count <= options.maxIterations)],
    ["paused for a budget names it", !(status.kind === "paused" && status.reason === "budget" && !status.over)],
    ["a run with decisions to confirm does not work", state.held.length === 0 || status.kind !== "running"],
    ["every waiver has a reason", state.waivers.every(({ why }) => why.trim() !== "")],
    ["time does not go back", visits.every(({ from, to }) => from <= (to ?? state.at))],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

/** Once: whether it still is, decides each call. */
function wasApproved(state: MagnusState, phase: "architecture" | "acceptance"): boolean {
  const isApproved = state.approvals.some((approval) => approval.phase === phase);
  const isWaivedThere = [phase, approvalPhase(state, phase)].some((name) => isWaived(state, "user_approval", name));
  return isApproved || (visitsOf(state, phase) > 0 && isWaivedThere);
}
