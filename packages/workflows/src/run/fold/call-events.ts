import { addAttempt } from "../budget.ts";
import { always } from "../run-ctx.ts";
import type { StepState, WaitState } from "../run-state.ts";
import {
  closeCall,
  closeQuestions,
  damaged,
  openCall,
  openCallOf,
  type Reducers,
  removeCall,
  type StateDraft,
} from "./draft.ts";

interface StepHistory {
  readonly failures: number;
  readonly crashes: number;
  readonly questions?: StepState["questions"] | undefined;
  readonly spent?: StepState["spent"] | undefined;
  readonly spentByFailures?: StepState["spent"] | undefined;
}

const noHistory: StepHistory = { failures: 0, crashes: 0 };

export const callEvents: Reducers<
  | "step-started"
  | "step-finished"
  | "step-failed"
  | "sleep-started"
  | "sleep-ended"
  | "wait-started"
  | "wait-ended"
  | "fork-started"
  | "branch-ended"
  | "fork-ended"
> = {
  "step-started": (draft, { key, attempt, at }, n) => {
    const known = draft.calls.get(key);
    if (known !== undefined) {
      const call = openCallOf(draft, key, "step", n);
      if (call.phase.kind === "running" || attempt !== call.attempt + 1) {
        throw damaged(n, `starts attempt ${attempt} of "${key}" after attempt ${call.attempt}`);
      }
    }
    const before = known?.kind === "step" ? known : noHistory;
    draft.calls.set(key, stepState({ kind: "running", since: at }, attempt, before));
    draft.open.add(key);
    draft.spent.steps += 1;
  },
  "step-finished": (draft, { key, attempt, result, ms, busyMs }, n) => {
    const { failures, questions, spent } = endAttempt(draft, key, attempt, n);
    draft.spent.wallMs += busyMs ?? 0;
    if (draft.isForgetful) removeCall(draft, key);
    else {
      const history = { failures, crashes: 0, questions, spent };
      closeCall(draft, key, stepState({ kind: "finished", result, ms }, attempt, history));
    }
  },
  "step-failed": (draft, { key, attempt, error, ms, workMs, busyMs, retryAt, isRateLimit }, n) => {
    const before = endAttempt(draft, key, attempt, n);
    const failures = before.failures + (isRateLimit === true ? 0 : 1);
    const spent = retryAt === undefined ? before.spent : addAttempt(before.spent, workMs ?? ms);
    const history = { failures, crashes: 0, questions: before.questions, spent, spentByFailures: spent };
    draft.spent.wallMs += busyMs ?? 0;
    if (retryAt === undefined) closeCall(draft, key, stepState({ kind: "failed", error, ms }, attempt, history));
    else {
      draft.calls.set(key, stepState({ kind: "retrying", at: retryAt, error }, attempt, history));
      draft.open.add(key);
    }
  },
  "sleep-started": (draft, { key, ms, until }, n) => {
    openCall(draft, key, { kind: "sleep", ms, until, phase: "open" }, n);
  },
  "sleep-ended": (draft, { key }, n) => {
    closeCall(draft, key, { ...openCallOf(draft, key, "sleep", n), phase: "ended" });
  },
  "wait-started": (draft, { key, ms, until, about, step }, n) => {
    if (step === undefined) {
      const deadline = ms === undefined || until === undefined ? {} : { ms, until };
      openCall(draft, key, { kind: "wait", ...deadline, ...(about !== undefined && { about }), phase: "open" }, n);
      return;
    }
    // A running step's question: a new one, or one that an earlier attempt asked.
    const asking = openCallOf(draft, step, "step", n);
    if (asking.phase.kind !== "running") throw damaged(n, `is a question from "${step}", which is not running`);
    const question: WaitState = { kind: "wait", step, ...(about !== undefined && { about }), phase: "open" };
    const known = draft.calls.get(key);
    if (known === undefined) draft.calls.set(step, { ...asking, questions: [...(asking.questions ?? []), key] });
    else if (known.kind !== "wait" || known.step !== step || known.phase !== "closed") {
      throw damaged(n, `asks "${key}" again, which is not a closed question from "${step}"`);
    }
    draft.calls.set(key, question);
    draft.open.add(key);
  },
  "wait-ended": (draft, { key, ok }, n) => {
    const call = openCallOf(draft, key, "wait", n);
    if (ok && !draft.signals.has(key)) throw damaged(n, `ends the wait "${key}" with a signal that never arrived`);
    closeCall(draft, key, { ...call, phase: ok ? "signalled" : "timed-out" });
    if (ok && call.step !== undefined && draft.signals.get(key) === always) {
      draft.always = [...draft.always, call.about ?? null];
    }
  },
  "fork-started": (draft, { key, branches, join }, n) => {
    const none = Array.from({ length: branches }, () => undefined);
    openCall(draft, key, { kind: "fork", join, branches: none, ended: 0, phase: "open" }, n);
  },
  "branch-ended": (draft, { key, index, ending }, n) => {
    const fork = openCallOf(draft, key, "fork", n);
    if (index >= fork.branches.length || fork.branches[index] !== undefined) {
      throw damaged(n, `ends branch ${index} of "${key}", which is not in progress`);
    }
    // In place: a fork may have many branches.
    (fork.branches as (typeof ending)[])[index] = ending;
    (fork as { ended: number }).ended += 1;
  },
  "fork-ended": (draft, { key, ending, abandoned = [] }, n) => {
    closeCall(draft, key, { ...openCallOf(draft, key, "fork", n), phase: "ended", ending, abandoned });
    for (const each of abandoned) {
      const call = draft.calls.get(each);
      if (call === undefined || !draft.open.has(each)) continue;
      if (call.kind === "step") {
        closeQuestions(draft, call);
        closeCall(draft, each, { ...call, phase: { kind: "abandoned" } });
      } else closeCall(draft, each, { ...call, phase: "abandoned" });
    }
  },
};

function stepState(phase: StepState["phase"], attempt: number, history: StepHistory): StepState {
  const { failures, crashes, questions, spent, spentByFailures } = history;
  const state: StepState = { kind: "step", phase, attempt, failures, crashes };
  if (questions === undefined && spent === undefined) return state;
  return {
    ...state,
    ...(questions !== undefined && { questions }),
    ...(spent !== undefined && { spent }),
    ...(spentByFailures !== undefined && { spentByFailures }),
  };
}

/** The step's history before this attempt ended. A local step has none: its start is not recorded. */
function endAttempt(draft: StateDraft, key: string, attempt: number, n: number): StepHistory {
  if (!draft.calls.has(key)) return noHistory;
  const call = openCallOf(draft, key, "step", n);
  // An interrupted step may end too: one that keeps killing its process fails without another attempt.
  if (call.attempt !== attempt || call.phase.kind === "retrying") {
    throw damaged(n, `ends attempt ${attempt} of "${key}", which is not running`);
  }
  if (call.questions !== undefined) closeQuestions(draft, call);
  return call;
}
