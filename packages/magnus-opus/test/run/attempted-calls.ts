// Calls that agents of a run attempt, and what becomes of them.
import { type AttemptedCall, type CallDecision, decide } from "../../src/run/decide.ts";
import * as persons from "../../src/run/person-actions.ts";
import type { PhaseName, WorkflowType } from "../../src/run/phase-name.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { folder, type RunStart, root, SimulatedRun, worktree } from "./simulated-run.ts";

/** A run that has just come to a phase, all by the rules. */
export function at(
  phase: PhaseName,
  workflow: WorkflowType = "UI_FOCUSED",
  options: RunStart["options"] = {},
): MagnusState {
  const run = new SimulatedRun({ workflow, options }, { designRounds: 1, codeRounds: 1 });
  while (run.state.phase !== phase) if (!run.step()) run.person(persons.approve);
  return run.state;
}

export function call(
  agent: string,
  tool: string,
  args: unknown = {},
  more: Partial<AttemptedCall> = {},
): AttemptedCall {
  const isChild = agent !== "orchestrator" && agent !== "build";
  return { tool, args, agent, session: isChild ? "ses_1" : root, isChild, depth: isChild ? 1 : 0, at: 0, ...more };
}

export const edit = (agent: string, filePath: string): AttemptedCall =>
  call(agent, "edit", { filePath, oldString: "", newString: "" });
export const bash = (agent: string, command: string): AttemptedCall => call(agent, "bash", { command });
export const task = (agent: string, wanted: unknown): AttemptedCall => call(agent, "task", { subagent_type: wanted });
export const gateOf = (decision: CallDecision): string => (decision.do === "allow" ? "allow" : decision.gate);
export const inSession = (name: string): string => `${worktree}/${folder}/${name}`;

export function verdicts(state: MagnusState, calls: readonly AttemptedCall[]): string[] {
  return calls.map((each) => gateOf(decide(state, each)));
}
