import { addAttempt, addUsage, keptLimits, nothingSpent } from "../budget.ts";
import type { CallState } from "../run-state.ts";
import { countTime, type Draft, damaged, type Takers } from "./draft.ts";
import { closeQuestions, dropQuestions, isAsking } from "./questions.ts";

export const runEvents: Takers<
  | "run-created"
  | "run-claimed"
  | "run-released"
  | "run-cancel-requested"
  | "run-ended"
  | "run-reopened"
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
    // Whoever gives a run back says so: an owner who is still there has died.
    interruptSteps(draft, draft.owner === undefined ? 0 : 1);
    draft.owner = owner;
    draft.durability = durability;
    draft.exceeded = undefined;
    draft.claims += 1;
  },
  "run-released": (draft, { busyMs }) => {
    interruptSteps(draft, 0);
    countTime(draft, busyMs);
    draft.owner = undefined;
  },
  "run-cancel-requested": (draft, { inbox }, n) => {
    readMessage(draft, inbox, n);
    draft.isCancelling = true;
  },
  "run-ended": (draft, { outcome, at }) => {
    interruptSteps(draft, 0);
    draft.ended = { ...outcome, at };
    draft.owner = undefined;
    draft.pause = undefined;
  },
  "run-reopened": (draft, { at }, n) => {
    if (draft.ended?.kind !== "failed") throw damaged(n, "takes up a run again that has not failed");
    const { key } = draft.ended.error;
    draft.ended = undefined;
    if (key !== undefined) undoFailure(draft, key, at);
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
    countTime(draft, busyMs);
    draft.exceeded = exceeded;
  },
  usage: (draft, { key, usage }) => {
    draft.spent = addUsage(draft.spent, usage);
    const call = draft.calls.get(key);
    if (call?.kind !== "step") return;
    draft.calls.set(key, { ...call, spent: addUsage(call.spent ?? nothingSpent, usage) });
  },
  "signal-received": (draft, { key, value, inbox }, n) => {
    readMessage(draft, inbox, n);
    if (!draft.signals.has(key)) draft.signals.set(key, value);
  },
};

function readMessage(draft: Draft, inbox: number, n: number): void {
  if (inbox <= draft.inbox) throw damaged(n, `takes message ${inbox} a second time`);
  draft.inbox = inbox;
}

function interruptSteps(draft: Draft, crashes: number): void {
  for (const key of [...draft.open]) {
    const call = draft.calls.get(key);
    if (call?.kind !== "step" || call.phase.kind !== "running") continue;
    // A step that waits for a person has not taken its process with it.
    const died = isAsking(draft, call) ? 0 : crashes;
    closeQuestions(draft, call);
    const spent = addAttempt(call.spent, 0);
    draft.calls.set(key, { ...call, phase: { kind: "interrupted" }, crashes: call.crashes + died, spent });
  }
}

/** The step that made the run fail, the forks that it took with it and what those cut short are under way again. */
function undoFailure(draft: Draft, key: string, at: number): void {
  const step = draft.calls.get(key);
  if (step?.kind === "step" && step.phase.kind === "failed") {
    // An answer may be why it failed.
    dropQuestions(draft, step);
    again(draft, key, step, at);
  }
  for (const [each, call] of [...draft.calls]) {
    if (call.kind !== "fork" || call.ending?.ok !== false || call.ending.error.key !== key) continue;
    const branches = call.branches.map((branch) => (branch?.ok === false ? undefined : branch));
    again(draft, each, { kind: "fork", join: call.join, branches, phase: "open" }, at);
    for (const cut of call.abandoned ?? []) again(draft, cut, draft.calls.get(cut), at);
  }
}

function again(draft: Draft, key: string, call: CallState | undefined, at: number): void {
  if (call === undefined) return;
  draft.open.add(key);
  if (call.kind !== "step") draft.calls.set(key, { ...call, phase: "open" });
  else {
    const error = call.phase.kind === "failed" ? call.phase.error : { name: "AbortError", message: "cut short" };
    const { spent: _before, ...rest } = call;
    draft.calls.set(key, { ...rest, failures: 0, crashes: 0, phase: { kind: "retrying", at, error } });
  }
}
