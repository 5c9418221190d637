// The changes that several events share.
import {
  type BackgroundState,
  type BackgroundTask,
  isOpen,
  mostTries,
  type Notice,
  type Outcome,
  type ParentSession,
  type Stage,
  tasksOf,
} from "./task.ts";

/** Ends a task, and with it everything below it: no session is left to use the results. */
export function end(state: BackgroundState, id: string, outcome: Outcome, mustAbort = false): BackgroundState {
  let next = withTask(state, id, { stage: { kind: "over", at: state.at, outcome, mustAbort, isFree: false } });
  for (const task of tasksOf(next, id)) {
    if (isOpen(task)) {
      const why = "the task that launched it has ended";
      next = end(next, task.id, { kind: "cancelled", why }, task.stage.kind !== "queued");
    }
    const { notice } = next.tasks.get(task.id)!;
    if (notice.kind !== "given") next = withTask(next, task.id, { notice: { kind: "given", how: "nobody" } });
  }
  const own = next.parents.get(id);
  if (own !== undefined) next = withParent(next, id, { ...own, isStopped: true });
  const parent = next.parents.get(next.tasks.get(id)!.parent);
  return parent?.isGone === true ? withTask(next, id, { notice: { kind: "given", how: "nobody" } }) : next;
}

/** A parent that no longer exists: its tasks are stopped, and no one is told. */
export function gone(state: BackgroundState, session: string): BackgroundState {
  const parent = state.parents.get(session);
  if (parent === undefined) return state;
  let next = withParent(state, session, { ...parent, isGone: true, isUnsure: false });
  for (const task of tasksOf(next, session)) {
    if (isOpen(task)) {
      next = end(next, task.id, { kind: "cancelled", why: "its parent was deleted" }, task.stage.kind !== "queued");
    }
    if (next.tasks.get(task.id)!.notice.kind !== "given")
      next = withTask(next, task.id, { notice: { kind: "given", how: "nobody" } });
  }
  return next;
}

export function wakeFailed(state: BackgroundState, session: string, delivery: string): BackgroundState {
  const next = settle(state, delivery, { kind: "due" });
  const parent = next.parents.get(session);
  if (next === state || parent === undefined) return state;
  const failedWakes = parent.failedWakes + 1;
  const retryAt = next.at + 500 * 2 ** failedWakes;
  return withParent(next, session, {
    ...parent,
    failedWakes,
    retryAt,
    isBusy: false,
    isStopped: parent.isStopped || failedWakes >= mostTries,
  });
}

interface Delivery {
  readonly delivery: string;
  readonly tasks: readonly string[];
}

export function sending(state: BackgroundState, { delivery, tasks }: Delivery): BackgroundState {
  const notice = { kind: "sending", delivery, since: state.at, isUnsure: false, tries: 0 } as const;
  const due = tasks.filter((id) => {
    const task = state.tasks.get(id);
    return task !== undefined && !isOpen(task) && task.notice.kind === "due";
  });
  const next = due.reduce((now, id) => withTask(now, id, { notice, isAwaited: false }), state);
  return { ...next, deliveries: next.deliveries + 1 };
}

export function settle(state: BackgroundState, delivery: string, notice: Notice): BackgroundState {
  let next = state;
  for (const task of state.tasks.values()) {
    if (task.notice.kind === "sending" && task.notice.delivery === delivery) next = withTask(next, task.id, { notice });
  }
  return next;
}

/** All of its tasks have the same; undefined if the delivery no longer matters. */
export function noticeOf(state: BackgroundState, delivery: string): Extract<Notice, { kind: "sending" }> | undefined {
  for (const { notice } of state.tasks.values())
    if (notice.kind === "sending" && notice.delivery === delivery) return notice;
  return undefined;
}

/** OpenCode does not have a delivery. It may still be on its way, so it is sent again only after several searches. */
export function notThere(state: BackgroundState, session: string, delivery: string): BackgroundState {
  const notice = noticeOf(state, delivery);
  if (notice === undefined) return state;
  const tries = notice.tries + 1;
  if (tries >= mostTries) return wakeFailed(state, session, delivery);
  return settle(state, delivery, { ...notice, since: state.at, isUnsure: false, tries });
}

export function idleParent(at: number): ParentSession {
  return {
    ...{ isBusy: false, isStopped: false, isGone: false, isUnsure: false, isAsked: false },
    ...{ heardAt: at, failedWakes: 0, retryAt: 0 },
  };
}

export function withTask(state: BackgroundState, id: string, change: Partial<BackgroundTask>): BackgroundState {
  const task = state.tasks.get(id);
  return task === undefined ? state : { ...state, tasks: new Map(state.tasks).set(id, { ...task, ...change }) };
}

export function withParent(state: BackgroundState, session: string, parent: ParentSession): BackgroundState {
  return { ...state, parents: new Map(state.parents).set(session, parent) };
}

export function silent(state: BackgroundState, id: string): Outcome {
  const { heardAt } = state.tasks.get(id)!;
  const seconds = Math.round((state.at - heardAt) / 1_000);
  const silence = seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return { kind: "timed-out", why: `nothing was heard from it for ${silence}` };
}

export function checking(because: Extract<Stage, { kind: "checking" }>["because"], since: number, why: string): Stage {
  return { kind: "checking", because, since, why, isAsked: false, tries: 0 };
}
