// One step of the background tasks: what has happened, what follows from it, and what must be on disk before that is done.
import { apply } from "./apply.ts";
import type { BackgroundEvent } from "./event.ts";
import { forget } from "./forget.ts";
import { type BackgroundAction, nextActions } from "./next.ts";
import { type BackgroundRecord, recordsBetween } from "./records.ts";
import type { BackgroundLimits, BackgroundState } from "./task.ts";

export interface BackgroundStep {
  readonly state: BackgroundState;
  readonly records: readonly BackgroundRecord[];
  readonly actions: readonly BackgroundAction[];
}

export function advance(from: BackgroundState, event: BackgroundEvent, limits: BackgroundLimits): BackgroundStep {
  // Before the event: what it changes has to be recorded first.
  const before = forget(from, limits);
  let state = apply(before, event, limits);
  const actions: BackgroundAction[] = [];
  for (let more = nextActions(state, limits); more.length > 0; more = nextActions(state, limits)) {
    for (const action of more) state = apply(state, { type: "begun", action, at: state.at }, limits);
    actions.push(...more);
  }
  return { state, records: recordsBetween(before, state), actions };
}
