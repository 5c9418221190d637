// All that the graph in workflows/implement.ts does besides asking agents and people. Bundled for the published package, where
// a workflow's module can import no TypeScript.
import type { PhaseName, Role } from "../run/phase-name.ts";
import { phaseNames } from "../run/phase-name.ts";
import { phases } from "../run/phases.ts";
import { begin } from "./begin.ts";
import { ask, failed, openSession, promptValues, replied } from "./delegation.ts";
import { answered, question, waits } from "./person-answer.ts";
import { type MagnusEvents, runOf } from "./record.ts";
import { finish, settle, test } from "./settle.ts";

const steps = {
  ...{ begin, ask, replied, failed, test, settle, finish, waits, question, answered, promptValues },
  phaseNames,
  /** The roles of a phase, for all workflow types: building agents first. */
  rolesOf: (phase: PhaseName): readonly Role[] => {
    const roles = Object.keys(phases[phase].access) as (Role | "implementers")[];
    const builders: readonly Role[] = roles.includes("implementers") ? ["developer", "backend"] : [];
    return [
      ...builders,
      ...roles.filter((role): role is Role => !["implementers", "orchestrator", "cleaner"].includes(role)),
    ];
  },
  isAsked: (events: MagnusEvents, phase: PhaseName, role: Role): boolean => {
    const state = runOf(events);
    const session = openSession(state, role);
    return state.phase === phase && session !== undefined && state.status.kind === "running";
  },
  phaseOf: (events: MagnusEvents): PhaseName => runOf(events).phase,
  isOver: (events: MagnusEvents): boolean => ["done", "cancelled"].includes(runOf(events).status.kind),
};

export type GraphSteps = typeof steps;
export default steps;
