// The only place where background tasks change. Total: an event that no longer matters changes nothing, so lost, late, repeated
// and reordered events do no harm.
import {
  checking,
  end,
  gone,
  idleParent,
  noticeOf,
  notThere,
  sending,
  settle,
  silent,
  wakeFailed,
  withParent,
  withTask,
} from "./change.ts";
import type { BackgroundEvent, Found, Happened } from "./event.ts";
import type { BackgroundAction } from "./next.ts";
import {
  type BackgroundLimits,
  type BackgroundState,
  type BackgroundTask,
  isOpen,
  mostTries,
  type Notice,
  type Outcome,
  openBelow,
  type Stage,
  tasksOf,
} from "./task.ts";
import { timePassed } from "./time.ts";

export function apply(state: BackgroundState, event: BackgroundEvent, limits: BackgroundLimits): BackgroundState {
  const at = Math.max(state.at, event.at);
  return changed({ ...state, at }, event, limits);
}

function changed(state: BackgroundState, event: Happened, limits: BackgroundLimits): BackgroundState {
  const { at } = state;
  switch (event.type) {
    case "launched": {
      const { task, isAwaited } = event;
      const known = state.tasks.get(task.id);
      if (known !== undefined && (isOpen(known) || known.turn >= task.turn)) return state;
      const parent = state.parents.get(task.parent) ?? idleParent(at);
      const launched: BackgroundTask = {
        ...task,
        ...{ launchedAt: at, heardAt: at, stage: { kind: "queued" }, notice: { kind: "due" } },
        ...{ waitsForPerson: false, isAwaited },
      };
      const tasks = new Map(state.tasks);
      tasks.delete(task.id); // a resumed task queues up again
      const next = withParent({ ...state, tasks: tasks.set(task.id, launched) }, task.parent, {
        ...parent,
        isBusy: true,
        heardAt: at,
      });
      // A call that was still on its way when a person pressed Esc, or when its session ended.
      return parent.isStopped || parent.isGone
        ? end(next, task.id, { kind: "cancelled", why: "its parent was stopped" })
        : next;
    }
    case "begun":
      return begun(state, event.action);
    case "refused": {
      const task = state.tasks.get(event.id);
      if (task?.turn !== event.turn || task.stage.kind !== "starting") return state;
      return end(state, event.id, { kind: "refused", why: event.why }, true);
    }
    case "looked": {
      const task = state.tasks.get(event.id);
      if (task?.turn !== event.turn || task.stage.kind !== "checking" || !task.stage.isAsked) return state;
      return looked(state, task, task.stage, event.found);
    }
    case "cancelled": {
      const task = state.tasks.get(event.id);
      if (task === undefined || !isOpen(task)) return state;
      return end(state, event.id, { kind: "cancelled", why: event.why }, task.stage.kind !== "queued");
    }
    case "awaited":
      return withTask(state, event.id, { isAwaited: event.isAwaited });
    case "handed":
      return sending(state, event);
    case "arrived":
      return settle(state, event.delivery, { kind: "given", how: "delivery" });
    case "unsent": {
      const { parent, delivery, because } = event;
      const known = state.parents.get(parent);
      if (known === undefined) return state;
      if (because === "gone") return gone(state, parent);
      const isBusy = because === "busy";
      if (because === "failed") return wakeFailed(state, parent, delivery);
      const next = settle(state, delivery, { kind: "due" });
      return withParent(next, parent, {
        ...known,
        isBusy,
        isStopped: known.isStopped || because === "held",
        heardAt: at,
      });
    }
    case "searched":
      if (event.isThere) return settle(state, event.delivery, { kind: "given", how: "delivery" });
      return notThere(state, event.parent, event.delivery);
    case "carried":
      return settle(state, event.delivery, {
        ...{ kind: "sending", delivery: event.delivery, since: at, isUnsure: false, tries: 0 },
      });
    case "parent-seen": {
      const { session, is } = event;
      const known = state.parents.get(session);
      if (known === undefined) return state;
      if (is === "gone") return gone(state, session);
      return withParent(state, session, {
        ...known,
        isBusy: is === "busy",
        isUnsure: false,
        isAsked: false,
        heardAt: at,
      });
    }
    case "time-passed":
      return timePassed(state, limits);
    case "restarted": {
      const { isSameProcess } = event;
      const parents = [...state.parents].map(([session, parent]) => {
        // It may be busy, or gone.
        const isUnsure = tasksOf(state, session).some((task) => isOpen(task) || task.notice.kind !== "given");
        const isStopped = parent.isStopped || !isSameProcess;
        return [
          session,
          { ...parent, isStopped, isUnsure, isBusy: isSameProcess, isAsked: false, heardAt: at },
        ] as const;
      });
      const tasks = [...state.tasks.values()].map((task): BackgroundTask => {
        const { notice } = task;
        const stage: Stage = isOpen(task) ? checking("restart", at, "") : task.stage;
        // In the same process it may still be on its way; from another one, it is there now or never.
        const unsure = { since: at, isUnsure: !isSameProcess, tries: isSameProcess ? 0 : mostTries - 1 };
        const sending: Notice = notice.kind === "sending" ? { ...notice, ...unsure } : notice;
        return { ...task, stage, notice: sending, isAwaited: false, heardAt: at };
      });
      return { ...state, parents: new Map(parents), tasks: new Map(tasks.map((task) => [task.id, task])) };
    }
    default:
      return inSession(state, event);
  }
}

/** An action that has begun must not begin again. */
function begun(state: BackgroundState, action: BackgroundAction): BackgroundState {
  const { at } = state;
  if (action.do === "wake") {
    const { parent } = action;
    const known = state.parents.get(parent);
    if (known === undefined) return state;
    const next = withParent(sending(state, action), parent, { ...known, isBusy: true, heardAt: at });
    // A parent that is a task itself works again, whatever OpenCode is about to say of it.
    const own = next.tasks.get(parent);
    if (own === undefined) return next;
    return withTask(next, parent, {
      heardAt: at,
      ...(own.stage.kind === "checking" && { stage: { kind: "running" } }),
    });
  }
  if (action.do === "find") {
    const { delivery } = action;
    const notice = noticeOf(state, delivery);
    return notice === undefined ? state : settle(state, delivery, { ...notice, since: at, isUnsure: false });
  }
  if (action.do === "look-at-parent") {
    const known = state.parents.get(action.parent);
    return known === undefined ? state : withParent(state, action.parent, { ...known, isAsked: true, heardAt: at });
  }
  const task = state.tasks.get(action.id);
  if (task?.turn !== action.turn) return state;
  const { stage } = task;
  switch (action.do) {
    case "start": {
      if (stage.kind !== "queued") return state;
      const own = state.parents.get(task.id);
      const next = own === undefined ? state : withParent(state, task.id, { ...own, isStopped: false });
      return withTask(next, task.id, { stage: { kind: "starting" }, heardAt: at });
    }
    case "look":
      return stage.kind === "checking"
        ? withTask(state, task.id, { stage: { ...stage, isAsked: true, since: at } })
        : state;
    case "abort":
      return stage.kind === "over" ? withTask(state, task.id, { stage: { ...stage, mustAbort: false } }) : state;
  }
}

/** OpenCode has answered what became of a session. */
function looked(
  state: BackgroundState,
  { id, heardAt }: BackgroundTask,
  { because, since, why }: Extract<Stage, { kind: "checking" }>,
  found: Found,
): BackgroundState {
  const { at } = state;
  if (found.kind === "unknown") return state; // asked again when the time for an answer is over
  if (found.kind === "gone") return end(state, id, { kind: "deleted" });
  const isSilent = because === "silence" && heardAt <= since;
  if (found.kind === "busy") {
    if (isSilent) return end(state, id, silent(state, id), true);
    return withTask(state, id, { stage: { kind: "running" }, heardAt: at });
  }
  const { isAnswered, text, openTodos, error } = found;
  if (error !== undefined) return end(state, id, { kind: "failed", why: error, text });
  if (!isAnswered && because === "restart") return end(state, id, { kind: "interrupted" });
  if (!isAnswered && because === "error") return end(state, id, { kind: "failed", why });
  if (!isAnswered && isSilent) return end(state, id, silent(state, id), true);
  // Its own tasks will wake it; then it has not ended yet.
  const isWoken = state.parents.get(id)?.isStopped === false;
  const waits = tasksOf(state, id).some((task) => isOpen(task) || (isWoken && task.notice.kind !== "given"));
  if (waits) return withTask(state, id, { stage: { kind: "running" }, heardAt: at });
  return end(state, id, { kind: "completed", text, openTodos });
}

type InSession = Extract<Happened, { readonly session: string }>;

function inSession(state: BackgroundState, event: Exclude<InSession, { type: "parent-seen" }>): BackgroundState {
  const { at } = state;
  const { type, session } = event;
  let next = state;
  const parent = state.parents.get(session);
  if (parent !== undefined) {
    const heard = { ...parent, heardAt: at };
    if (type === "deleted") return gone(ended(state, session, event), session);
    if (type === "aborted") {
      next = withParent(next, session, { ...heard, isStopped: true });
      for (const task of openBelow(next, session)) {
        next = end(next, task.id, { kind: "cancelled", why: "you stopped the agents" }, task.stage.kind !== "queued");
      }
    } else if (type === "spoke") {
      next = withParent(next, session, { ...heard, isStopped: false, isBusy: true, isUnsure: false, failedWakes: 0 });
    } else if (type === "busy" || type === "idle") {
      next = withParent(next, session, { ...heard, isBusy: type === "busy", isUnsure: false, isAsked: false });
    } else {
      next = withParent(next, session, { ...heard, isUnsure: parent.isUnsure || type === "errored" });
    }
  }
  return ended(next, session, event);
}

/** The same for the session's own task, if it has one. */
function ended(
  state: BackgroundState,
  session: string,
  event: Exclude<InSession, { type: "parent-seen" }>,
): BackgroundState {
  const { at } = state;
  const task = state.tasks.get(session);
  if (task === undefined) return state;
  const { stage: now } = task;
  if (now.kind === "over") {
    if (event.type === "spoke") return withTask(state, session, { stage: { ...now, isFree: true } });
    // An abort can overtake the prompt: OpenCode then had nothing to stop, and starts the turn afterwards.
    const isLate = event.type === "busy" && !now.isFree && !endedItself.has(now.outcome.kind);
    return isLate ? withTask(state, session, { stage: { ...now, mustAbort: true } }) : state;
  }
  const { kind } = now;
  const isStarted = kind === "starting" || kind === "running";
  switch (event.type) {
    case "aborted":
      // If it was an earlier turn that was stopped, this one is not stopped yet.
      return kind === "queued" ? state : end(state, session, { kind: "cancelled", why: "it was stopped" }, true);
    case "deleted":
      return end(state, session, { kind: "deleted" });
    case "errored":
      return isStarted ? withTask(state, session, { stage: checking("error", at, event.why) }) : state;
    case "idle": {
      // Before any sign of life it belongs to an earlier turn, and so it does while results are on their way to the session.
      const isWoken = tasksOf(state, session).some(({ notice }) => notice.kind === "sending");
      const isEnd = kind === "running" && !isWoken;
      return isEnd ? withTask(state, session, { stage: checking("idle", at, "") }) : state;
    }
    default: {
      const isAlive = kind === "starting" || (now.kind === "checking" && now.because === "restart");
      const stage: Stage = isAlive && event.type !== "spoke" ? { kind: "running" } : now;
      return withTask(state, session, { stage, heardAt: at, waitsForPerson: event.type === "prompted" });
    }
  }
}

const endedItself: ReadonlySet<Outcome["kind"]> = new Set(["completed", "failed", "deleted"]);
