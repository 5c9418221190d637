import { addAttempt, addUsage, keptLimits, nothingSpent } from "../budget.ts";
import type { CallState, WaitState } from "../run-state.ts";
import { closeCall, closeQuestions, damaged, isAsking, type Reducers, removeCall, type StateDraft } from "./draft.ts";

export const runEvents: Reducers<
  | "run-created"
  | "run-claimed"
  | "run-released"
  | "run-cancel-requested"
  | "run-ended"
  | "run-reopened"
  | "run-revised"
  | "run-paused"
  | "run-resumed"
  | "budget-set"
  | "budget-exceeded"
  | "usage"
  | "signal-received"
> = {
  "run-created": (_draft, _event, n) => {
    throw damaged(n, "creates the run a second time");
  },
  "run-claimed": (draft, { owner, durability }) => {
    // Releasing a run is recorded, so an owner that is still set has died.
    interruptSteps(draft, draft.owner === undefined ? 0 : 1);
    draft.owner = owner;
    draft.durability = durability;
    draft.exceeded = undefined;
    draft.claims += 1;
  },
  "run-released": (draft, { busyMs }) => {
    interruptSteps(draft, 0);
    draft.spent.wallMs += busyMs ?? 0;
    draft.owner = undefined;
  },
  "run-cancel-requested": (draft, { inbox }, n) => {
    readMessage(draft, inbox, n);
    if (inbox > draft.retriedAt) draft.isCancelling = true;
  },
  "run-ended": (draft, { outcome, at }) => {
    interruptSteps(draft, 0);
    draft.ended = { ...outcome, at };
    draft.owner = undefined;
    draft.pause = undefined;
  },
  "run-reopened": (draft, { at, inbox }, n) => {
    if (draft.ended?.kind !== "failed") throw damaged(n, "retries a run that has not failed");
    const { key } = draft.ended.error;
    retry(draft, inbox);
    if (key === undefined) return;
    // The step that made the run fail, the forks that failed with it and the calls that those aborted are open again.
    const step = draft.calls.get(key);
    if (step?.kind === "step" && step.phase.kind === "failed") {
      // It may have failed because of an answer, so the next attempt asks again.
      for (const question of step.questions ?? []) {
        closeCall(draft, question, { ...(draft.calls.get(question) as WaitState), phase: "abandoned" });
      }
      tryAgain(draft, key, step, at);
    }
    for (const [each, call] of [...draft.calls]) {
      if (call.kind !== "fork" || call.ending?.ok !== false || call.ending.error.key !== key) continue;
      const branches = call.branches.map((branch) => (branch?.ok === false ? undefined : branch));
      const ended = branches.filter((branch) => branch !== undefined).length;
      tryAgain(draft, each, { kind: "fork", join: call.join, branches, ended, phase: "open" }, at);
      for (const cut of call.abandoned ?? []) tryAgain(draft, cut, draft.calls.get(cut), at);
    }
  },
  "run-revised": (draft, { workspace, restart, inbox }, n) => {
    const { kind } = draft.ended ?? {};
    if (kind === "done" || kind === "cancelled") throw damaged(n, "changes the workflow of a run that has ended");
    draft.workspace = workspace;
    if (restart === undefined) return;
    draft.graph = restart.graph;
    if (draft.ended !== undefined) retry(draft, inbox);
    draft.restartedAt = draft.inbox;
    for (const key of [...draft.calls.keys(), ...draft.signals.keys()]) {
      if (!restart.keep.includes(outermostNode(key))) removeCall(draft, key);
    }
  },
  "run-paused": (draft, { reason, until, ms }) => {
    draft.pause = { reason, until, ms };
  },
  "run-resumed": (draft) => {
    draft.pause = undefined;
  },
  "budget-set": (draft, { budget, inbox }, n) => {
    readMessage(draft, inbox, n);
    draft.budget = keptLimits({ ...draft.budget, ...budget });
  },
  "budget-exceeded": (draft, { exceeded, busyMs }) => {
    draft.spent.wallMs += busyMs ?? 0;
    draft.exceeded = exceeded;
  },
  usage: (draft, { key, usage }) => {
    draft.spent = addUsage(draft.spent, usage);
    const call = draft.calls.get(key);
    if (call?.kind !== "step") return;
    draft.calls.set(key, { ...call, spent: addUsage(call.spent ?? nothingSpent, usage) });
  },
  "signal-received": (draft, { key, value, sentAt, inbox }, n) => {
    readMessage(draft, inbox, n);
    if (draft.signals.has(key)) return;
    draft.signals.set(key, value);
    const call = draft.calls.get(key);
    if (sentAt !== undefined && call?.kind === "wait") draft.calls.set(key, { ...call, answeredAt: sentAt });
  },
};

/** The node of the outermost graph that a key belongs to: `fan` for `fan.1/loop#3/work`. */
export function outermostNode(key: string): string {
  return /^[\w-]+/.exec(key)?.[0] ?? key;
}

/** A cancellation that was sent before the run failed is older than the decision to retry it. */
function retry(draft: StateDraft, inbox = draft.inbox): void {
  draft.ended = undefined;
  draft.isCancelling = false;
  draft.retriedAt = inbox;
}

function readMessage(draft: StateDraft, inbox: number, n: number): void {
  if (inbox <= draft.inbox) throw damaged(n, `reads message ${inbox} a second time`);
  draft.inbox = inbox;
}

function interruptSteps(draft: StateDraft, crashes: number): void {
  for (const key of [...draft.open]) {
    const call = draft.calls.get(key);
    if (call?.kind !== "step" || call.phase.kind !== "running") continue;
    // A step that waits for an answer did not kill its process.
    const died = isAsking(draft, call) ? 0 : crashes;
    closeQuestions(draft, call);
    const spent = addAttempt(call.spent, 0);
    draft.calls.set(key, { ...call, phase: { kind: "interrupted" }, crashes: call.crashes + died, spent });
  }
}

function tryAgain(draft: StateDraft, key: string, call: CallState | undefined, at: number): void {
  if (call === undefined) return;
  draft.open.add(key);
  if (call.kind !== "step") draft.calls.set(key, { ...call, phase: "open" });
  else {
    const error = call.phase.kind === "failed" ? call.phase.error : { name: "AbortError", message: "cut short" };
    const { spent: _before, spentByFailures: _failed, ...rest } = call;
    draft.calls.set(key, { ...rest, failures: 0, crashes: 0, phase: { kind: "retrying", at, error } });
  }
}
