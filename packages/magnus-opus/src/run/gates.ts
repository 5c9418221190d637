// What a phase still lacks. Gates are functions of the state: nothing here uses a model, a file or a clock.
import { nameInOpencode, ourName } from "./agent-names.ts";
import { isRed, testVerdict, usable } from "./evidence.ts";
import type { GateName, PhaseName, Role, Waivable } from "./phase-name.ts";
import { roles } from "./phase-name.ts";
import { approvalPhase, gateOf, isOutput, isReport, phases, usesTdd } from "./phases.ts";
import { tally, type Vote, type VoteTally } from "./review.ts";
import { currentVisit, isWaived, lookUp, type MagnusState, visitsOf } from "./state.ts";

export interface UnmetCondition {
  readonly gate: Waivable;
  readonly what: string;
  /** Who can help: the agents, the phase that the work is sent back to, or a person only. */
  readonly needs: "agent" | "fix" | "person";
  /** Identifies the condition if `what` also counts how often it was tried. */
  readonly same?: string;
}

/** What keeps the run in its phase; empty if it can continue. */
export function unmetConditions(state: MagnusState): readonly UnmetCondition[] {
  const { phase } = state;
  if (isWaived(state, "phase", phase)) return [];
  const { outputs, changesFiles, judge, returnsTo } = phases[phase];
  const gate = gateOf(state, phase);
  const written = Object.keys(state.artifacts);
  const owed = outputs.filter((name) => !written.some((path) => isOutput(name, path)));
  const open = Object.entries(state.sessions)
    .filter(([, session]) => session.parent !== undefined && session.isOpen && session.phase === phase)
    .map(([session, { agent }]) => `${session} (${agent})`);
  if (open.length > 0) owed.push(`the end of ${open.join(", ")}`);
  const lacks: UnmetCondition[] = owed.map((what) => ({ gate: "phase", what, needs: "agent" }));
  if (changesFiles && (state.tree === undefined || state.tree === currentVisit(state).treeAtEntry)) {
    // Findings are fixed, or a person says that they stay.
    const released = returnsTo === undefined ? "phase" : "pass_or_fix";
    if (!isWaived(state, released, phase))
      lacks.push({ gate: released, what: "a change to the project's files", needs: "agent" });
  }
  if (phase === "requirements" && state.workflow === "UNCLEAR") {
    lacks.push({ gate: "phase", what: "the workflow type", needs: "person" });
  }
  if (gate === "all_tests_pass") lacks.push(...unmetTests(state, [phase]));
  if (phase === "acceptance") {
    lacks.push(...unmetTests(state, [usesTdd(state) ? "implementation" : "testing", "acceptance"]));
  }
  if (gate === "user_approval" && approvalOf(state, phase) === "missing") {
    lacks.push({ gate, what: "the user's approval", needs: "person" });
  }
  if (judge !== undefined) lacks.push(...unmetReviews(state, gate));
  // The plan is approved once: as it is when its review has passed.
  if (phase === "plan-review" && lacks.every(({ needs }) => needs === "person") && !isBuildAllowed(state)) {
    lacks.push({ gate: "user_approval", what: "the user's approval of the plan", needs: "person" });
  }
  return lacks;
}

/** Whether the agents have done what they can. */
export function waitsForPerson(state: MagnusState): boolean {
  return state.isReady && unmetConditions(state).every(({ needs }) => needs === "person");
}

/** The plan is approved as it is now, or its approval was waived. A report has nothing to approve. */
export function isBuildAllowed(state: MagnusState): boolean {
  return isReport(state) || approvalOf(state, "architecture") !== "missing";
}

type ApprovalState = "approved" | "waived" | "missing";

/** An approval covers what a person saw: once that changes, it is missing again. */
export function approvalOf(state: MagnusState, phase: PhaseName): ApprovalState {
  if (isApprovalWaived(state, phase)) return "waived";
  const subject = subjectOf(state, phase);
  const found = state.approvals.some((each) => each.phase === phase && each.subject === subject);
  return found && subject !== undefined ? "approved" : "missing";
}

/** The whole phase in which the approval is asked for may have been waived, after the last visit to what it covers. */
function isApprovalWaived(state: MagnusState, phase: PhaseName): boolean {
  const asked = approvalPhase(state, phase);
  const [covered, last] = [phase, asked].map((name) => state.visits.findLastIndex((visit) => visit.phase === name));
  return state.waivers.some(({ gate, phase: where, visit }) =>
    gate === "user_approval"
      ? where === phase && visit === visitsOf(state, phase)
      : gate === "phase" && where === asked && visit === visitsOf(state, asked) && last! >= covered!,
  );
}

/** A text that identifies what an approval or review of this phase covers, and changes with it. Undefined if it does not exist. */
export function subjectOf(state: MagnusState, phase: PhaseName): string | undefined {
  if (phases[phase].judge?.of === "files") return state.tree;
  const names = phases[phase === "plan-review" ? "architecture" : phase].outputs;
  const hashes = names.map((name) => lookUp(state.artifacts, name));
  const parts = phase === "acceptance" ? [...hashes, state.tree] : hashes;
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

/** The reviews of the current visit that cover the current files. A report is about the files as its reviewers saw them. */
export function currentVotes(state: MagnusState): readonly Vote[] {
  const { phase } = state;
  const subject = subjectOf(state, phase);
  const visit = visitsOf(state, phase);
  const isCurrent = (seen: string | undefined): boolean =>
    isReport(state) || (subject !== undefined && seen === subject);
  return state.votes.filter((vote) => vote.phase === phase && vote.visit === visit && isCurrent(vote.subject));
}

export function tallyOf(state: MagnusState): VoteTally {
  return tally(currentVotes(state), quorumOf(state));
}

/** How many reviewers of the current phase have to vote. */
export function quorumOf({ phase, options: { quorum } }: MagnusState): number {
  return typeof quorum === "number" ? quorum : (quorum[phase] ?? 1);
}

/** Whether everyone has been asked in this visit. */
function isConcluded(state: MagnusState): boolean {
  const { phase } = state;
  return state.conclusions.some((each) => each.phase === phase && each.visit === visitsOf(state, phase));
}

/** Whether a check was done with files that have changed since. */
export function isOutdated(state: MagnusState, phase: PhaseName): boolean {
  if (phases[phase].judge?.of !== "files" || phase === state.phase) return false;
  const vote = state.votes.findLast((each) => each.phase === phase);
  return vote !== undefined && vote.subject !== state.tree;
}

export function needsRed(state: MagnusState): boolean {
  const isWaivedRed = (["implementation", "testing", "acceptance"] as const).some((phase) =>
    isWaived(state, "red_test", phase),
  );
  return (usesTdd(state) || state.options.redProof) && !isWaivedRed && !hasRed(state);
}

export function hasRed({ evidence, options }: MagnusState): boolean {
  return usable(evidence, options.testCommand).some((each) => isRed(each, options.testCommand));
}

export function roleOf({ names, options }: MagnusState, agent: string): Role | undefined {
  const ours = ourName(names, agent);
  return ours === undefined ? undefined : (lookUp(options.roles, ours) ?? roles.find((role) => role === ours));
}

/** What the agents for a role are called in OpenCode. */
export function agentsFor({ names, options }: MagnusState, role: Role): readonly string[] {
  const several = Object.keys(options.roles).filter((agent) => options.roles[agent] === role);
  return (several.length > 0 ? several : [role]).map((agent) => nameInOpencode(names, agent));
}

/** Whether this phase is reviewed by several models, or by those that the user named. Only the plugin asks them, all in the same words. */
export function hasPanel(state: MagnusState, role: Role): boolean {
  return (
    phases[state.phase].judge?.role === role && (agentsFor(state, role).length > 1 || namedModels(state).length > 0)
  );
}

/** Whether the agent, on this model, is a reviewer of this phase: the vote of another one would stand in for theirs. */
export function isReviewer(state: MagnusState, agent: string, model: string | undefined): boolean {
  const { judge } = phases[state.phase];
  if (judge === undefined || !agentsFor(state, judge.role).includes(agent)) return false;
  const named = namedModels(state);
  return named.length === 0 || (model !== undefined && named.includes(model));
}

function namedModels({ phase, options: { reviewModels = [] } }: MagnusState): readonly string[] {
  return phase === "code-review" ? reviewModels : [];
}

/** `waivedIn`: the phases in which a person may have waived the tests. */
function unmetTests(state: MagnusState, waivedIn: readonly PhaseName[]): UnmetCondition[] {
  const red = "a test that fails before the change: write one, then call run_tests";
  if (needsRed(state)) return [{ gate: "red_test", what: red, needs: "agent" }];
  if (waivedIn.some((phase) => isWaived(state, "all_tests_pass", phase))) return [];
  const verdict = testVerdict(state.evidence, { ...state.options, tree: state.tree });
  return verdict.passed ? [] : [{ gate: "all_tests_pass", what: verdict.because, needs: "agent" }];
}

function unmetReviews(state: MagnusState, gate: GateName | null): UnmetCondition[] {
  if (gate !== null && isWaived(state, gate, state.phase)) return [];
  const { verdict, because, voters } = tallyOf(state);
  // A report that you ask for is written, even if too few reviewers could answer.
  if (verdict === "approved" || (gate === null && isConcluded(state))) return [];
  if (subjectOf(state, state.phase) === undefined) {
    return [{ gate: gate ?? "phase", what: "something to review: it does not exist yet", needs: "agent" }];
  }
  if (verdict === "open") {
    return [{ gate: gate ?? "phase", what: because, needs: "agent", same: `${voters} reviews` }];
  }
  if (gate === null) return []; // only a report was wanted
  // The number of rounds is limited.
  const { maxIterations } = state.options;
  const hasRoundsLeft = (state.rounds[state.phase] ?? 0) < maxIterations;
  if (hasRoundsLeft) return [{ gate, what: because, needs: "fix" }];
  return [{ gate, what: `${because}, after ${maxIterations} rounds of fixes`, needs: "person" }];
}
