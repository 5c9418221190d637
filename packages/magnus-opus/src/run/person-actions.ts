// The only functions that create a person's events. Call them where a person acted: a typed command, an answered prompt, a shell.
import { createHash } from "node:crypto";
import { exceeded, exceededText, type Limits } from "./budget.ts";
import { withCommands } from "./command-names.ts";
import { isPersonEvent, type MagnusEvent, type PersonEvent, type PersonIdentity } from "./event.ts";
import { approvalOf, isBuildAllowed, needsRed, subjectOf } from "./gates.ts";
import { decisionText } from "./held.ts";
import { confirmCommand, personCommand, raiseCommand, typeChoices, updateCommand } from "./person-commands.ts";
import type { PhaseName, Waivable, WorkflowType } from "./phase-name.ts";
import { gateOf, phases, phasesOf } from "./phases.ts";
import { reduce } from "./reduce.ts";
import { isFromNewer, isOver, type MagnusState, visitsOf } from "./state.ts";

/** The event, which the caller appends to the journal; or why the action means nothing now, and what would. */
export type Acted =
  | { readonly ok: true; readonly event: PersonEvent }
  | { readonly ok: false; readonly because: string; readonly hint: string };

export interface Act {
  readonly by: PersonIdentity;
  readonly at: number;
}

const made = new WeakSet<MagnusEvent>();

/** Whether an event is not a person's, or was created here: nothing else may be appended as a person's. */
export function mayBeAppended(event: MagnusEvent): boolean {
  return !isPersonEvent(event) || made.has(event);
}

/** @param shown The version that was shown, if the approval is of that one and no other. */
export function approve(state: MagnusState, act: Act, shown?: string): Acted {
  if (isClosed(state)) return closed(state);
  if (state.phase === "requirements" && state.workflow === "UNCLEAR") {
    return no("choose the workflow type first", `Choose ${typeChoices}: ${personCommand(state, "type")}.`);
  }
  const phase = awaitingApproval(state);
  if (phase === undefined) return no("nothing is waiting for approval", `The run is in the ${state.phase} phase.`);
  const subject = subjectOf(state, phase);
  if (shown !== undefined && (subject === undefined || versionOf({ phase, subject }) !== shown)) {
    const covered = [...phases[phase].outputs, ...(phase === "acceptance" ? ["a file of the project"] : [])];
    return no(`${covered.join(" or ")} has changed since it was shown to you`, "Read the new version, then decide.");
  }
  if (subject !== undefined) return yes({ ...act, type: "approved", phase, subject });
  const names = phases[phase].outputs.join(" and ");
  return no(
    `there is nothing to approve yet; the phase has not written ${names}`,
    `To continue without it: ${personCommand(state, "waive", "user_approval")}.`,
  );
}

export interface Approvable {
  readonly phase: PhaseName;
  readonly subject: string;
}

/** A short text that names what an approval would cover, and changes with it. */
export function versionOf({ phase, subject }: Approvable): string {
  return createHash("sha256").update(`${phase} ${subject}`).digest("hex").slice(0, 16);
}

/** What approve() would approve, without creating an event. */
export function approvable(state: MagnusState): Approvable | undefined {
  if (isClosed(state) || (state.phase === "requirements" && state.workflow === "UNCLEAR")) return undefined;
  const phase = awaitingApproval(state);
  const subject = phase && subjectOf(state, phase);
  return phase === undefined || subject === undefined ? undefined : { phase, subject };
}

/** The phase whose approval is missing: the current one, or the plan if it has changed since. */
function awaitingApproval(state: MagnusState): PhaseName | undefined {
  if (gateOf(state, state.phase) === "user_approval") {
    return approvalOf(state, state.phase) === "missing" ? state.phase : undefined;
  }
  return !isBuildAllowed(state) && visitsOf(state, "architecture") > 0 ? "architecture" : undefined;
}

export function chooseType(state: MagnusState, act: Act, workflow: Exclude<WorkflowType, "UNCLEAR">): Acted {
  if (isClosed(state)) return closed(state);
  if (state.phase === "requirements") return yes({ ...act, type: "type-chosen", workflow });
  return no(
    `the run has already passed the requirements phase as ${state.workflow}`,
    "Cancel it and start another one.",
  );
}

/** Sends the work back to `to`, by default to the plan or the implementation. */
export function reject(state: MagnusState, act: Act, { notes, to }: { notes: string; to?: PhaseName }): Acted {
  if (isClosed(state)) return closed(state);
  const route = phasesOf(state);
  const isBuilt = route.indexOf(state.phase) > route.indexOf("implementation") && route.includes("implementation");
  const isPlanned = route.includes("architecture") && state.phase !== "requirements";
  const target = to ?? (isBuilt ? "implementation" : isPlanned ? "architecture" : state.phase);
  if (route.includes(target) && route.indexOf(target) <= route.indexOf(state.phase)) {
    return yes({ ...act, type: "rejected", phase: state.phase, to: target, notes });
  }
  const earlier = route.slice(0, route.indexOf(state.phase) + 1).join(", ");
  return no(`${target} is not a phase this run has been through`, `Choose one of ${earlier}.`);
}

/** `phase` waives everything that the phase still lacks. */
export function waive(state: MagnusState, act: Act, { gate, why }: { gate: Waivable; why: string }): Acted {
  if (isClosed(state)) return closed(state);
  const reason = why.trim();
  if (reason === "") return no("a waiver needs a reason", `${personCommand(state, "waive", gate)}.`);
  if (!gatesOf(state).includes(gate)) {
    return no(`${gate} is not a gate in the ${state.phase} phase`, `You can waive ${gatesOf(state).join(", ")}.`);
  }
  // The plan may have changed while it was being built.
  const isPlan = gate === "user_approval" && gateOf(state, state.phase) !== gate;
  return yes({ ...act, type: "waived", phase: isPlan ? "architecture" : state.phase, gate, why: reason });
}

/** What can be waived now. */
export function gatesOf(state: MagnusState): readonly Waivable[] {
  const { phase } = state;
  const own = gateOf(state, phase);
  const hasTests = own === "all_tests_pass" || phase === "acceptance";
  const isPlanOpen = own !== "user_approval" && !isBuildAllowed(state) && visitsOf(state, "architecture") > 0;
  return [
    ...(own === null ? [] : [own]),
    ...(phase === "acceptance" ? (["all_tests_pass"] as const) : []),
    ...(hasTests && needsRed(state) ? (["red_test"] as const) : []),
    ...(isPlanOpen ? (["user_approval"] as const) : []),
    "phase",
  ];
}

export function resume(state: MagnusState, act: Act): Acted {
  if (isClosed(state)) return closed(state);
  if (state.status.kind !== "paused") {
    return no("the run is not paused", `It may be waiting for ${personCommand(state, "approve")}.`);
  }
  if (state.held.length > 0) {
    const wait = state.held.length === 1 ? "1 decision is waiting" : `${state.held.length} decisions are waiting`;
    return no(`${wait} for your confirmation`, `${confirmCommand(state)} shows what was decided and by whom.`);
  }
  const found = exceeded(state, state.status.over?.limit === "sessions");
  if (found === undefined) return yes({ ...act, type: "resumed" });
  return no(exceededText(found), `Raise it: ${raiseCommand(state, found)}.`);
}

/** Confirms a held decision, as if it were made now. */
export function confirm(state: MagnusState, act: Act, number: number): Acted {
  const found = state.held.find((each) => each.number === number);
  if (isFromNewer(state)) return closed(state);
  if (found === undefined) return notHeld(state, number);
  const event: PersonEvent = { ...act, type: "confirmed", held: number };
  if (reduce(state, event).ignored === state.ignored) return yes(event);
  const what = decisionText(found.decision);
  const dismissal = withCommands(`\`/magnus-dismiss ${number}\`.`, state.commandNames);
  return no(`"${what}" no longer applies: the run or its files have changed since`, dismissal);
}

export function dismiss(state: MagnusState, act: Act, number: number): Acted {
  if (isFromNewer(state)) return closed(state);
  if (!state.held.some((each) => each.number === number)) return notHeld(state, number);
  return yes({ ...act, type: "dismissed", held: number });
}

function notHeld({ held }: MagnusState, number: number): Acted {
  const numbers = held.map((each) => each.number).join(", ");
  return no(
    `decision ${number} is not waiting for confirmation`,
    numbers === "" ? "None is." : `There are ${numbers}.`,
  );
}

export function cancel(state: MagnusState, act: Act, why: string): Acted {
  return isOver(state) ? closed(state) : yes({ ...act, type: "cancelled", why });
}

export interface Raise {
  readonly run?: Limits;
  /** For the current phase. */
  readonly phase?: Limits;
  readonly maxIterations?: number | undefined;
}

/** Sets higher limits; a run that was paused for its budget continues if they suffice. */
export function raiseBudget(state: MagnusState, act: Act, { run = {}, phase = {}, maxIterations }: Raise): Acted {
  if (isClosed(state)) return closed(state);
  const amounts = [...Object.values(run), ...Object.values(phase), maxIterations].filter((each) => each !== undefined);
  if (amounts.length > 0 && amounts.every((amount) => Number.isFinite(amount) && amount > 0)) {
    const { budget, options } = state;
    const limited = [
      ...Object.entries(run).map(([name, most]) => ({ name, most, now: budget.run[name as keyof Limits] })),
      ...Object.entries(phase).map(([name, most]) => {
        return { name: `phase.${name}`, most, now: budget.phases[state.phase]?.[name as keyof Limits] };
      }),
      ...(maxIterations === undefined ? [] : [{ name: "iterations", most: maxIterations, now: options.maxIterations }]),
    ];
    if (limited.every(({ now, most }) => now === undefined || most! <= now)) {
      const { name, now } = limited[0]!;
      return now === undefined
        ? no(`there is no limit for ${name}, so there is nothing to raise`, raisable(state))
        : no(`the limit for ${name} is already ${now}`, "Name a higher one.");
    }
    const iterations = maxIterations === undefined ? {} : { maxIterations };
    return yes({ ...act, type: "budget-raised", run, phase, ...iterations });
  }
  return no(amounts.length === 0 ? "no limit is named" : "a limit must be a positive number", raisable(state));
}

/** The limits that the run has, and how to raise the first of them. */
export function raisable(state: MagnusState): string {
  const { budget, options, phase } = state;
  const named = (of: Limits, scope: string): readonly string[] =>
    Object.entries(of).flatMap(([name, most]) => {
      if (most === undefined) return [];
      return name === "ms" ? `${scope}minutes=${most / 60_000}` : `${scope}${name}=${most}`;
    });
  const all = [
    ...named(budget.run, ""),
    ...named(budget.phases[phase] ?? {}, "phase."),
    `iterations=${options.maxIterations}`,
  ];
  const [first = ""] = all[0]!.split("=");
  return `The run's limits are ${all.join(", ")}; for example ${personCommand(state, "raise", first)}.`;
}

function yes(event: PersonEvent): Acted {
  const frozen = Object.freeze(event);
  made.add(frozen);
  return { ok: true, event: frozen };
}

export function no(because: string, hint: string): Acted {
  return { ok: false, because, hint };
}

function isClosed(state: MagnusState): boolean {
  return isOver(state) || isFromNewer(state);
}

function closed(state: MagnusState): Acted {
  const { run, status, commandNames } = state;
  if (status.kind === "paused") {
    return no(
      status.detail,
      `Update Magnus Opus${updateCommand()}, then restart OpenCode. You can also end the run: ${personCommand(state, "cancel")}.`,
    );
  }
  const hint = withCommands("Start another one with `/implement <feature>`.", commandNames);
  return no(`the run ${run} is ${status.kind}`, hint);
}
