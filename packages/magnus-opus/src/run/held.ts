// Decisions that an agent may have made. They are kept and shown, and count once a person confirms them.
import type { EventOf, PersonDecision } from "./event.ts";
import { accessIn } from "./phases.ts";
import type { HeldDecision, MagnusState } from "./state.ts";

export function hold(decision: PersonDecision, from: string, why: string, at: number = decision.at): EventOf<"held"> {
  return { type: "held", at, by: { kind: "plugin" }, decision, from, why };
}

/** Once agents have had a shell, a decision from a shell may be theirs: a program can outlive the call that started it. */
export function agentsHadShell(state: MagnusState): boolean {
  return state.visits.some(({ phase }) =>
    Object.values(accessIn(state, phase)).some((access) => access === "build" || access === "try"),
  );
}

/** The decision in a few words. */
export function decisionText(decision: PersonDecision): string {
  switch (decision.type) {
    case "approved":
      return `approve ${decision.phase}`;
    case "rejected":
      return `send ${decision.phase} back to ${decision.to}: ${decision.notes}`;
    case "waived":
      return `waive ${decision.gate} of ${decision.phase}: ${decision.why}`;
    case "type-chosen":
      return `choose ${decision.workflow}`;
    case "resumed":
      return "resume the run";
    case "cancelled":
      return `cancel the run${decision.why === "" ? "" : `: ${decision.why}`}`;
    case "budget-raised": {
      const { run, phase, maxIterations } = decision;
      const iterations = maxIterations === undefined ? {} : { iterations: maxIterations };
      const raised = Object.entries({ ...run, ...iterations }).map(([limit, amount]) => `${limit}=${amount}`);
      const ofPhase = Object.entries(phase).map(([limit, amount]) => `phase.${limit}=${amount}`);
      return `raise ${[...raised, ...ofPhase].join(" ")}`;
    }
  }
}

/** What, when, who, and why it is in doubt. */
export function heldLine({ number, decision, from, why, at }: HeldDecision): string {
  const date = new Date(at);
  const isKnown = !Number.isNaN(date.getTime());
  const time = isKnown ? `${date.toISOString().slice(0, 19).replace("T", " ")} UTC` : "at an unknown time";
  return `${number}. ${decisionText(decision).slice(0, longest)} (${time}, ${from.slice(0, longest)}; ${why})`;
}

/** A program could decide a thousand times; the status shows them all. */
const mostShown = 3;
const longest = 300;

export function heldText(held: readonly HeldDecision[]): string {
  const [many, them] =
    held.length === 1 ? ["1 decision is waiting", "it"] : [`${held.length} decisions are waiting`, "them"];
  const more = held.length > mostShown ? `; and ${held.length - mostShown} more` : "";
  const shown = held.slice(0, mostShown).map(heldLine).join("; ");
  return `${many} for your confirmation, because an agent may have made ${them}: ${shown}${more}`;
}
