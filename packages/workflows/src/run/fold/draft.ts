import type { Exceeded, Spent } from "../budget.ts";
import type { Owner, RunEvent, RunOutcome } from "../events.ts";
import { RunError } from "../run-error.ts";
import type { CallState, RunState } from "../run-state.ts";

/** A run's state while it is folded. */
export type Draft = {
  -readonly [Name in Exclude<keyof RunState, "calls" | "signals" | "status" | "waits" | "spent">]: RunState[Name];
} & {
  readonly status: RunState["status"];
  readonly waits: RunState["waits"];
  spent: { -readonly [Name in keyof Spent]: Spent[Name] };
  readonly calls: Map<string, CallState>;
  readonly signals: Map<string, RunState["input"]>;
  /** Keys of the calls that have not come to an end. */
  readonly open: Set<string>;
  owner: Owner | undefined;
  pause: { readonly reason: string; readonly until: number; readonly ms: number } | undefined;
  exceeded: Exceeded | undefined;
  isCancelling: boolean;
  /** Steps leave the state as they finish. */
  isForgetful: boolean;
  ended: (RunOutcome & { readonly at: number }) | undefined;
};

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** What an event does to the draft. Throws `damaged` if it cannot have happened now. */
export type Take<Type extends RunEvent["type"]> = (draft: Draft, event: EventOf<Type>, n: number) => void;

export type Takers<Type extends RunEvent["type"]> = { readonly [Each in Type]: Take<Each> };

export function damaged(
  n: number,
  what: string,
  hint = "Restore the journal from a copy, or start the run anew.",
): RunError {
  return new RunError("damaged", { message: `Record ${n} of the journal ${what}`, at: `record ${n}`, hint });
}

/** A call that has not been made before. */
export function openCall(draft: Draft, key: string, call: CallState, n: number): void {
  if (draft.calls.has(key)) throw damaged(n, `begins "${key}", which had begun before`);
  draft.calls.set(key, call);
  draft.open.add(key);
}

/** The open call of this kind under the key. */
export function openCallOf<Kind extends CallState["kind"]>(
  draft: Draft,
  key: string,
  kind: Kind,
  n: number,
): Extract<CallState, { kind: Kind }> {
  const call = draft.open.has(key) ? draft.calls.get(key) : undefined;
  if (call?.kind !== kind) throw damaged(n, `is about the ${kind} "${key}", which is not under way`);
  return call as Extract<CallState, { kind: Kind }>;
}

export function closeCall(draft: Draft, key: string, call: CallState): void {
  draft.calls.set(key, call);
  draft.open.delete(key);
}

export function countTime(draft: Draft, busyMs: number | undefined): void {
  if (busyMs !== undefined) draft.spent.wallMs += busyMs;
}

/** With all that belongs to it. */
export function removeCall(draft: Draft, key: string): void {
  const call = draft.calls.get(key);
  if (call?.kind === "step" && call.questions !== undefined) {
    for (const question of call.questions) remove(draft, question);
  }
  remove(draft, key);
}

function remove(draft: Draft, key: string): void {
  draft.calls.delete(key);
  draft.open.delete(key);
  if (draft.signals.size > 0) draft.signals.delete(key);
}
