// Questions of running steps. Each is a wait that belongs to its step: whatever ends the attempt closes it, so that nothing
// more has to be written down, least of all by a process that is gone.
import type { Json } from "../json.ts";
import type { StepState, WaitState } from "../run-state.ts";
import { closeCall, type Draft, damaged, openCall, openCallOf } from "./draft.ts";

export function openQuestion(draft: Draft, key: string, step: string, about: Json | undefined, n: number): void {
  const asking = openCallOf(draft, step, "step", n);
  if (asking.phase.kind !== "running") throw damaged(n, `is a question of "${step}", which does not run`);
  const question: WaitState = { kind: "wait", step, ...(about !== undefined && { about }), phase: "open" };
  const known = draft.calls.get(key);
  if (known === undefined) {
    openCall(draft, key, question, n);
    draft.calls.set(step, { ...asking, questions: [...(asking.questions ?? []), key] });
    return;
  }
  if (known.kind !== "wait" || known.step !== step || known.phase !== "closed") {
    throw damaged(n, `asks "${key}" again, which is not a closed question of "${step}"`);
  }
  draft.calls.set(key, question);
  draft.open.add(key);
}

/** The attempt has ended, whatever for. */
export function closeQuestions(draft: Draft, { questions }: Pick<StepState, "questions">): void {
  for (const key of questions ?? []) {
    if (draft.open.has(key)) closeCall(draft, key, { ...(draft.calls.get(key) as WaitState), phase: "closed" });
  }
}

/** No later attempt gets the answers to these: it asks anew. */
export function dropQuestions(draft: Draft, { questions }: StepState): void {
  for (const key of questions ?? []) {
    closeCall(draft, key, { ...(draft.calls.get(key) as WaitState), phase: "abandoned" });
  }
}

export function isAsking({ open }: Draft, { questions }: StepState): boolean {
  return questions?.some((key) => open.has(key)) === true;
}
