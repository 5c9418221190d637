// The phase table: who works in each phase, its outputs, its gate, and what comes next.
import type { Flow, GateName, PhaseName, Role, WorkflowType } from "./phase-name.ts";
import { phaseNames } from "./phase-name.ts";
import type { MagnusRunOptions } from "./run-options.ts";

/**
 * What a role may do in a phase.
 * `look`: read. `report`: write into the session folder. `try`: that, and use the shell. `build`: change the project.
 */
export type Access = "look" | "report" | "try" | "build";

export interface PhaseSpec {
  readonly title: string;
  /** Files in the session folder; a name that ends with `/` means at least one file in that folder. */
  readonly outputs: readonly string[];
  readonly gate: GateName | null;
  /** `implementers`: the building agents of the workflow type. */
  readonly access: Partial<Record<Role | "implementers", Access>>;
  /** The phase must change the project's files. */
  readonly changesFiles?: true;
  /** Who reviews, and what. */
  readonly judge?: { readonly role: Role; readonly of: "plan" | "files" };
  /** Where the work goes if the reviews reject it. */
  readonly sendsBackTo?: PhaseName;
  /** Only entered when a check sends the work back, and returns to that check. */
  readonly returnsTo?: PhaseName;
}

export const phases: Readonly<Record<PhaseName, PhaseSpec>> = {
  requirements: { title: "Requirements Gathering", outputs: [], gate: null, access: { orchestrator: "report" } },
  architecture: {
    title: "Architecture Planning",
    outputs: ["implementation-plan.md", "quick-reference.md"],
    gate: "user_approval",
    access: { architect: "report" },
  },
  "plan-review": {
    title: "Plan Review",
    outputs: ["reviews/plan-review/"],
    gate: "all_reviewers_approve",
    access: { "plan-reviewer": "report" },
    judge: { role: "plan-reviewer", of: "plan" },
    sendsBackTo: "architecture",
  },
  implementation: {
    title: "Implementation",
    outputs: [],
    gate: null,
    access: { implementers: "build" },
    changesFiles: true,
  },
  "design-validation": {
    title: "Design Validation",
    outputs: ["design-validation.md"],
    gate: "pass_or_fix",
    access: { designer: "report" },
    judge: { role: "designer", of: "files" },
    sendsBackTo: "ui-fixes",
  },
  "ui-fixes": {
    title: "UI Fixes",
    outputs: [],
    gate: "pass_or_fix",
    access: { "ui-developer": "build" },
    changesFiles: true,
    returnsTo: "design-validation",
  },
  "code-review": {
    title: "Code Review",
    outputs: ["reviews/code-review/"],
    gate: "all_reviewers_approve",
    access: { reviewer: "report" },
    judge: { role: "reviewer", of: "files" },
    sendsBackTo: "review-fixes",
  },
  "review-fixes": {
    title: "Review Fixes",
    outputs: [],
    gate: "pass_or_fix",
    access: { implementers: "build" },
    changesFiles: true,
    returnsTo: "code-review",
  },
  testing: {
    title: "Testing",
    outputs: ["testing-report.md"],
    gate: "all_tests_pass",
    access: { tester: "try", implementers: "build" },
  },
  acceptance: {
    title: "User Acceptance",
    outputs: ["final-summary.md"],
    gate: "user_approval",
    access: { orchestrator: "report" },
  },
  cleanup: { title: "Cleanup", outputs: [], gate: null, access: { cleaner: "look" } },
};

/** What a run's phases depend on. */
interface Route {
  readonly flow: Flow;
  readonly workflow: WorkflowType;
  readonly options: Pick<MagnusRunOptions, "skip" | "skipPlanReview">;
}

const reports: Partial<Record<Flow, PhaseName>> = { "validate-ui": "design-validation", review: "code-review" };

/** Whether the run only reports: there is nothing to approve or build, and a bad verdict is a valid result. */
export function isReport({ flow }: Pick<Route, "flow">): boolean {
  return reports[flow] !== undefined;
}

/** A run's phases in order, including those that only a check leads to. */
export function phasesOf({ flow, workflow, options }: Route): readonly PhaseName[] {
  const report = reports[flow];
  if (report !== undefined) return [report];
  return phaseNames.filter((name) => {
    const left = phases[name].returnsTo ?? name;
    if (left === "plan-review" && options.skipPlanReview) return false;
    if (workflow === "API_FOCUSED" && (left === "design-validation" || left === "testing")) return false;
    return !(options.skip.includes(left) && phases[left].gate !== "user_approval" && left !== "implementation");
  });
}

/** The phase after this one; undefined if the run is done. */
export function phaseAfter(route: Route, phase: PhaseName): PhaseName | undefined {
  const back = phases[phase].returnsTo;
  if (back !== undefined) return back;
  const rest = phasesOf(route).filter((name) => phaseNames.indexOf(name) > phaseNames.indexOf(phase));
  return rest.find((name) => phases[name].returnsTo === undefined);
}

/** API_FOCUSED is tested while it is built (red, then green) and has no testing phase. */
export function usesTdd(route: Route): boolean {
  return route.workflow === "API_FOCUSED" && !isReport(route);
}

/** The phase in which a person is asked to approve the outputs of this one: with a review of the plan, you approve what was reviewed. */
export function approvalPhase(route: Route, phase: PhaseName): PhaseName {
  return phase === "architecture" && phasesOf(route).includes("plan-review") ? "plan-review" : phase;
}

export function gateOf(route: Route, phase: PhaseName): GateName | null {
  if (isReport(route)) return null;
  if (approvalPhase(route, phase) !== phase) return null;
  return phase === "implementation" && usesTdd(route) ? "all_tests_pass" : phases[phase].gate;
}

/** Who works in a phase, the main one first. The explorer may look around in every phase. */
export function accessIn(route: Route, phase: PhaseName): Partial<Record<Role, Access>> {
  const { implementers, ...access } = phases[phase].access;
  // If the type is unknown, both build, since either may be needed.
  const builders = { UI_FOCUSED: ["developer"], API_FOCUSED: ["backend"], MIXED: bothBuild, UNCLEAR: bothBuild };
  const building = implementers === undefined ? [] : builders[route.workflow].map((role) => [role, implementers]);
  return { ...access, ...Object.fromEntries(building), explorer: "look" };
}

const bothBuild = ["developer", "backend"];

/** The phase that writes this file of the session folder. */
export function phaseOfOutput(path: string): PhaseName | undefined {
  return phaseNames.find((name) => phases[name].outputs.some((output) => isOutput(output, path)));
}

export function isOutput(output: string, path: string): boolean {
  return output.endsWith("/") ? path.startsWith(output) : path === output;
}
