// Why a tool call is refused, and what to do. Every refusal names the gate, what is missing, and the command that helps.

import { withCommands } from "./command-names.ts";
import type { UnmetCondition } from "./gates.ts";
import { unmetConditions } from "./gates.ts";
import { personCommand, raiseCommand, typeChoices, updateCommand } from "./person-commands.ts";
import type { Waivable } from "./phase-name.ts";
import { phases } from "./phases.ts";
import { type MagnusState, type Paused, visitsOf } from "./state.ts";

/** `red_test`: the test comes first. `record`: no agent may write what governs the run. `session`: not the run's session. */
export type RefusalGate = Waivable | "budget" | "depth" | "paused" | "finished" | "record" | "session";

export interface CallRefusal {
  readonly do: "refuse";
  readonly gate: RefusalGate;
  readonly missing: string;
  /** What satisfies the gate, with the exact command where there is one. */
  readonly satisfy: string;
  /** The exact command with which a person continues without it. */
  readonly waive: string;
}

/** What the model and the person read instead of the tool's result. */
export function refusalText(state: MagnusState, tool: string, { gate, missing, satisfy, waive }: CallRefusal): string {
  return [
    `Magnus Opus refused ${tool} in the ${state.phase} phase (gate: ${gate}).`,
    `Missing: ${missing}.`,
    `To satisfy it: ${satisfy}.`,
    `To continue without it: ${waive}.`,
    "Do not try to work around this; the user has to decide.",
  ].join("\n");
}

/** Before the plan is approved. */
export function planNotApproved(state: MagnusState): CallRefusal {
  const isPlanning = ["requirements", "architecture", "plan-review"].includes(state.phase);
  const [plan] = phases.architecture.outputs;
  const lacks = unmetConditions(state);
  const isThere = lacks.length > 0 && lacks.every(({ gate }) => gate === "user_approval");
  const first = isPlanning && !isThere ? `finish the ${state.phase} phase and call magnus_next; then the` : "the";
  const missing = isPlanning ? `the user's approval of ${plan}` : `the user's approval of the current ${plan}`;
  const satisfy = `${first} user types ${personCommand(state, "approve")}`;
  const waive = personCommand(state, "waive", "user_approval");
  // Before there is a plan, there is no approval of it to waive.
  return refuse(
    "user_approval",
    missing,
    satisfy,
    visitsOf(state, "architecture") > 0 ? waive : `in the next phase, ${waive}`,
  );
}

/** The phase has another purpose. */
export function notInThisPhase(state: MagnusState, missing: string): CallRefusal {
  const open = unmetConditions(state)[0];
  const satisfy = open === undefined ? "call magnus_next" : howToSatisfy(state, open);
  return refuse(open?.gate ?? "phase", missing, satisfy, personCommand(state, "waive", "phase"));
}

export function howToSatisfy(state: MagnusState, { gate, what, needs }: UnmetCondition): string {
  if (what === "the workflow type") return `the user chooses ${typeChoices}: ${personCommand(state, "type")}`;
  if (gate === "user_approval") {
    const isEarly = unmetConditions(state).some((lack) => lack.needs !== "person");
    return `${isEarly ? "when the rest is done, " : ""}the user types ${personCommand(state, "approve")}`;
  }
  if (needs === "person")
    return `the user decides: ${personCommand(state, "waive", gate)}, or ${personCommand(state, "raise", "iterations")}`;
  if (needs === "fix") return `call magnus_next: the work goes back to ${phases[state.phase].sendsBackTo}`;
  return `${what}; then call magnus_next`;
}

export function refuse(gate: RefusalGate, missing: string, satisfy: string, waive: string): CallRefusal {
  return { do: "refuse", gate, missing, satisfy, waive };
}

/** How a person continues a paused run. */
export function howToContinue(state: MagnusState, { over, reason }: Paused): string {
  if (reason === "newer-version") {
    return `the user updates Magnus Opus${updateCommand()} and restarts OpenCode, or ends the run with ${personCommand(state, "cancel")}`;
  }
  if (state.held.length > 0) {
    const ways = withCommands("`/magnus-confirm <number>` or `/magnus-dismiss <number>`", state.commandNames);
    return `the user types ${ways} in OpenCode; this is not possible in a shell`;
  }
  if (reason === "stuck") {
    const gates = [...new Set(unmetConditions(state).map(({ gate }) => gate))];
    const waivers = gates.map((gate) => personCommand(state, "waive", gate)).join(", or ");
    return `the user decides: ${personCommand(state, "reject")} sends the work back with an explanation; ${waivers} continues without it; ${personCommand(state, "resume")} lets the agents try again`;
  }
  return `the user types ${over === undefined ? personCommand(state, "resume") : raiseCommand(state, over)}`;
}
