import type { StepState } from "../run-state.ts";
import { closeCall, countTime, type Draft, damaged, openCallOf, type Takers } from "./draft.ts";

export const stepEvents: Takers<"step-started" | "step-finished" | "step-failed"> = {
  "step-started": (draft, { key, attempt, at }, n) => {
    const known = draft.calls.get(key);
    if (known !== undefined) refuseUnlessNext(draft, key, attempt, n);
    const before = known?.kind === "step" ? known : { attempt: 0, failures: 0, crashes: 0 };
    const { failures, crashes } = before;
    draft.calls.set(key, { kind: "step", phase: { kind: "running", since: at }, attempt, failures, crashes });
    draft.open.add(key);
    draft.spent.steps += 1;
  },
  "step-finished": (draft, { key, attempt, result, ms, busyMs }, n) => {
    // A local step is not announced.
    const { failures } = draft.calls.has(key) ? running(draft, key, attempt, n) : { failures: 0 };
    closeCall(draft, key, { kind: "step", phase: { kind: "finished", result, ms }, attempt, failures, crashes: 0 });
    countTime(draft, busyMs);
  },
  "step-failed": (draft, { key, attempt, error, ms, busyMs, retryAt, isRateLimit }, n) => {
    const before = draft.calls.has(key) ? running(draft, key, attempt, n) : { failures: 0 };
    const failures = before.failures + (isRateLimit === true ? 0 : 1);
    countTime(draft, busyMs);
    if (retryAt === undefined) {
      closeCall(draft, key, { kind: "step", phase: { kind: "failed", error, ms }, attempt, failures, crashes: 0 });
      return;
    }
    draft.calls.set(key, {
      kind: "step",
      phase: { kind: "retrying", at: retryAt, error },
      attempt,
      failures,
      crashes: 0,
    });
    draft.open.add(key);
  },
};

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
