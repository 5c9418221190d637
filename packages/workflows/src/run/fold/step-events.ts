import { addAttempt } from "../budget.ts";
import type { StepState } from "../run-state.ts";
import { closeCall, countTime, type Draft, damaged, openCallOf, removeCall, type Takers } from "./draft.ts";
import { closeQuestions } from "./questions.ts";

interface History {
  readonly failures: number;
  readonly crashes: number;
  readonly questions?: StepState["questions"] | undefined;
  readonly spent?: StepState["spent"] | undefined;
}

const noHistory: History = { failures: 0, crashes: 0 };

export const stepEvents: Takers<"step-started" | "step-finished" | "step-failed"> = {
  "step-started": (draft, { key, attempt, at }, n) => {
    const known = draft.calls.get(key);
    if (known !== undefined) refuseUnlessNext(draft, key, attempt, n);
    const before = known?.kind === "step" ? known : noHistory;
    draft.calls.set(key, stepState({ kind: "running", since: at }, attempt, before));
    draft.open.add(key);
    draft.spent.steps += 1;
  },
  "step-finished": (draft, { key, attempt, result, ms, busyMs }, n) => {
    const { failures, questions, spent } = ended(draft, key, attempt, n);
    countTime(draft, busyMs);
    if (draft.isForgetful) removeCall(draft, key);
    else {
      const history = { failures, crashes: 0, questions, spent };
      closeCall(draft, key, stepState({ kind: "finished", result, ms }, attempt, history));
    }
  },
  "step-failed": (draft, { key, attempt, error, ms, workMs, busyMs, retryAt, isRateLimit }, n) => {
    const before = ended(draft, key, attempt, n);
    const failures = before.failures + (isRateLimit === true ? 0 : 1);
    const spent = retryAt === undefined ? before.spent : addAttempt(before.spent, workMs ?? ms);
    const history = { failures, crashes: 0, questions: before.questions, spent };
    countTime(draft, busyMs);
    if (retryAt === undefined) closeCall(draft, key, stepState({ kind: "failed", error, ms }, attempt, history));
    else {
      draft.calls.set(key, stepState({ kind: "retrying", at: retryAt, error }, attempt, history));
      draft.open.add(key);
    }
  },
};

function stepState(phase: StepState["phase"], attempt: number, history: History): StepState {
  const { failures, crashes, questions, spent } = history;
  const state: StepState = { kind: "step", phase, attempt, failures, crashes };
  if (questions === undefined && spent === undefined) return state;
  return { ...state, ...(questions !== undefined && { questions }), ...(spent !== undefined && { spent }) };
}

/** What came before the end of this attempt. A local step is not announced. */
function ended(draft: Draft, key: string, attempt: number, n: number): History {
  if (!draft.calls.has(key)) return noHistory;
  const call = running(draft, key, attempt, n);
  if (call.questions !== undefined) closeQuestions(draft, call);
  return call;
}

function running(draft: Draft, key: string, attempt: number, n: number): StepState {
  const call = openCallOf(draft, key, "step", n);
  // Interrupted too: a step that takes its process with it again and again is given up without another attempt.
  if (call.attempt === attempt && call.phase.kind !== "retrying") return call;
  throw damaged(n, `ends attempt ${attempt} of "${key}", which does not run`);
}

function refuseUnlessNext(draft: Draft, key: string, attempt: number, n: number): void {
  const call = openCallOf(draft, key, "step", n);
  if (call.phase.kind !== "running" && attempt === call.attempt + 1) return;
  throw damaged(n, `starts attempt ${attempt} of "${key}" after attempt ${call.attempt}`);
}
