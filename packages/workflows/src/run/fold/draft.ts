import type { Exceeded, Spent } from "../budget.ts";
import type { RunEvent, RunOutcome, RunOwner } from "../events.ts";
import { RunError } from "../run-error.ts";
import type { CallState, RunState, StepState, WaitState } from "../run-state.ts";

/** A run's state while its events are folded. */
export type StateDraft = {
  -readonly [Name in Exclude<keyof RunState, "calls" | "signals" | "status" | "waits" | "spent">]: RunState[Name];
} & {
  readonly status: RunState["status"];
  readonly waits: RunState["waits"];
  spent: { -readonly [Name in keyof Spent]: Spent[Name] };
  readonly calls: Map<string, CallState>;
  readonly signals: Map<string, RunState["input"]>;
  /** The keys of the calls that have not ended. */
  readonly open: Set<string>;
  owner: RunOwner | undefined;
  pause: { readonly reason: string; readonly until: number; readonly ms: number } | undefined;
  exceeded: Exceeded | undefined;
  isCancelling: boolean;
  /** Steps leave the state as they finish. */
  isForgetful: boolean;
  ended: (RunOutcome & { readonly at: number }) | undefined;
};

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** Applies an event to the draft. Throws `damaged` if the event cannot have happened at this point. */
export type Reducer<Type extends RunEvent["type"]> = (draft: StateDraft, event: EventOf<Type>, n: number) => void;

export type Reducers<Type extends RunEvent["type"]> = { readonly [Each in Type]: Reducer<Each> };

export function damaged(
  n: number,
  what: string,
  hint = "Restore the journal from a backup, or start a new run.",
): RunError {
  return new RunError("damaged", { message: `Record ${n} of the journal ${what}`, at: `record ${n}`, hint });
}

/** Adds a new call. */
export function openCall(draft: StateDraft, key: string, call: CallState, n: number): void {
  if (draft.calls.has(key)) throw damaged(n, `begins "${key}" a second time`);
  draft.calls.set(key, call);
  draft.open.add(key);
}

/** The open call with this key and kind. */
export function openCallOf<Kind extends CallState["kind"]>(
  draft: StateDraft,
  key: string,
  kind: Kind,
  n: number,
): Extract<CallState, { kind: Kind }> {
  const call = draft.open.has(key) ? draft.calls.get(key) : undefined;
  if (call?.kind !== kind) throw damaged(n, `is about the ${kind} "${key}", which is not in progress`);
  return call as Extract<CallState, { kind: Kind }>;
}

export function closeCall(draft: StateDraft, key: string, call: CallState): void {
  draft.calls.set(key, call);
  draft.open.delete(key);
}

/** Removes a call together with its questions. */
export function removeCall(draft: StateDraft, key: string): void {
  const call = draft.calls.get(key);
  if (call === undefined) return; // a local step, which is not announced
  if (call.kind === "step" && call.questions !== undefined) for (const each of call.questions) removeCall(draft, each);
  draft.calls.delete(key);
  draft.open.delete(key);
  if (draft.signals.size > 0) draft.signals.delete(key);
}

/**
 * Closes an attempt's questions. They are waits that belong to the step: whatever ends the attempt closes them, so nothing
 * more has to be recorded, least of all by a process that is gone.
 */
export function closeQuestions(draft: StateDraft, { questions }: Pick<StepState, "questions">): void {
  for (const key of questions ?? []) {
    if (draft.open.has(key)) closeCall(draft, key, { ...(draft.calls.get(key) as WaitState), phase: "closed" });
  }
}

export function isAsking({ open }: StateDraft, { questions }: StepState): boolean {
  return questions?.some((key) => open.has(key)) === true;
}
