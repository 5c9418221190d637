import type { CallState } from "../run-state.ts";
import { closeCall, type Draft, damaged, openCall, openCallOf, type Takers } from "./draft.ts";
import { closeQuestions } from "./questions.ts";

export const forkEvents: Takers<"fork-started" | "branch-ended" | "fork-ended"> = {
  "fork-started": (draft, { key, branches, join }, n) => {
    const none = Array.from({ length: branches }, () => undefined);
    openCall(draft, key, { kind: "fork", join, branches: none, phase: "open" }, n);
  },
  "branch-ended": (draft, { key, index, ending }, n) => {
    const fork = openCallOf(draft, key, "fork", n);
    if (index >= fork.branches.length || fork.branches[index] !== undefined) {
      throw damaged(n, `ends branch ${index} of "${key}", which is not under way`);
    }
    // In place: a fork may have many branches, and each of them ends.
    (fork.branches as (typeof ending)[])[index] = ending;
  },
  "fork-ended": (draft, { key, ending, abandoned = [] }, n) => {
    closeCall(draft, key, { ...openCallOf(draft, key, "fork", n), phase: "ended", ending, abandoned });
    for (const each of abandoned) abandon(draft, each);
  },
};

function abandon(draft: Draft, key: string): void {
  const call = draft.calls.get(key);
  if (call === undefined || !draft.open.has(key)) return;
  if (call.kind === "step") closeQuestions(draft, call);
  closeCall(draft, key, abandonedCall(call));
}

function abandonedCall(call: CallState): CallState {
  return call.kind === "step" ? { ...call, phase: { kind: "abandoned" } } : { ...call, phase: "abandoned" };
}
