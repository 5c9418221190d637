import { closeCall, damaged, openCall, openCallOf, type Takers } from "./draft.ts";
import { openQuestion } from "./questions.ts";

export const waitEvents: Takers<"sleep-started" | "sleep-ended" | "wait-started" | "wait-ended"> = {
  "sleep-started": (draft, { key, ms, until }, n) => {
    openCall(draft, key, { kind: "sleep", ms, until, phase: "open" }, n);
  },
  "sleep-ended": (draft, { key }, n) => {
    closeCall(draft, key, { ...openCallOf(draft, key, "sleep", n), phase: "ended" });
  },
  "wait-started": (draft, { key, ms, until, about, step }, n) => {
    if (step !== undefined) return openQuestion(draft, key, step, about, n);
    const deadline = ms === undefined || until === undefined ? {} : { ms, until };
    openCall(draft, key, { kind: "wait", ...deadline, ...(about !== undefined && { about }), phase: "open" }, n);
  },
  "wait-ended": (draft, { key, ok }, n) => {
    const call = openCallOf(draft, key, "wait", n);
    if (ok && !draft.signals.has(key)) throw damaged(n, `ends the wait "${key}" with a signal that never came`);
    closeCall(draft, key, { ...call, phase: ok ? "signalled" : "timed-out" });
  },
};
