import type { RunState } from "@atomic/workflows/internal/run/run-state";

/** Whether a run that has no open question may ask one at once: an answer was not taken yet, or nothing else has begun since. Pure. */
export function mayAskNext({ status, calls, signals }: RunState): boolean {
  if (status.kind !== "running" && status.kind !== "waiting") return false;
  let isBusy = false;
  for (const [key, call] of calls) {
    if (call.kind === "wait" && call.phase === "open" && signals.has(key)) return true;
    if (call.kind === "sleep") isBusy ||= call.phase === "open";
    // An interrupted step is about to begin again, and asks what it has asked before.
    if (call.kind === "step") isBusy ||= call.phase.kind === "running" || call.phase.kind === "retrying";
  }
  return !isBusy;
}
