// What to do now, read off the state. An action that has begun is in the state, too, so it is not listed again.
import { count } from "@atomic/terminal/count";
import {
  type BackgroundLimits,
  type BackgroundState,
  type BackgroundTask,
  isOpen,
  isWorking,
  tasksOf,
} from "./task.ts";

export type BackgroundAction =
  /** Send the task's prompt. */
  | { readonly do: "start"; readonly id: string; readonly turn: number }
  /** Ask OpenCode whether the task has ended, and with what. */
  | { readonly do: "look"; readonly id: string; readonly turn: number }
  | { readonly do: "abort"; readonly id: string; readonly turn: number }
  /** Give the parent the results of these tasks, unless it is busy after all. */
  | {
      readonly do: "wake";
      readonly parent: string;
      readonly delivery: string;
      readonly tasks: readonly string[];
    }
  /** Ask OpenCode whether a delivery has arrived. */
  | { readonly do: "find"; readonly parent: string; readonly delivery: string }
  /** Ask OpenCode whether a parent is busy. */
  | { readonly do: "look-at-parent"; readonly parent: string };

export function nextActions(state: BackgroundState, limits: BackgroundLimits): readonly BackgroundAction[] {
  const actions: BackgroundAction[] = [];
  const unsure = new Set<string>();
  for (const task of state.tasks.values()) {
    const { id, turn, stage, notice, parent } = task;
    if (stage.kind === "checking" && !stage.isAsked) actions.push({ do: "look", id, turn });
    if (stage.kind === "over" && stage.mustAbort) actions.push({ do: "abort", id, turn });
    if (notice.kind === "sending" && notice.isUnsure && !unsure.has(notice.delivery)) {
      unsure.add(notice.delivery);
      actions.push({ do: "find", parent, delivery: notice.delivery });
    }
  }
  let deliveries = state.deliveries;
  for (const [session, parent] of state.parents) {
    if (parent.isUnsure && !parent.isAsked) actions.push({ do: "look-at-parent", parent: session });
    if (parent.isBusy || parent.isStopped || parent.isGone || parent.retryAt > state.at) continue;
    const due = dueNotices(state, session);
    const isEarly = limits.wake === "all" && tasksOf(state, session).some((task) => isOpen(task) && !task.isAwaited);
    if (due.length === 0 || isEarly) continue;
    deliveries += 1;
    const tasks = due.map((task) => task.id);
    actions.push({ do: "wake", parent: session, delivery: `${session}.${deliveries}`, tasks });
  }
  const start = startable(state, limits);
  if (start !== undefined) actions.push({ do: "start", id: start.id, turn: start.turn });
  return actions;
}

/** The tasks whose end the parent does not know yet. */
export function dueNotices(state: BackgroundState, parent: string): readonly BackgroundTask[] {
  return tasksOf(state, parent).filter((task) => !isOpen(task) && task.notice.kind === "due" && !task.isAwaited);
}

/** The queued task whose turn it is, if there is room for one: parents with less work first, then the oldest. */
function startable(state: BackgroundState, limits: BackgroundLimits): BackgroundTask | undefined {
  const queued = [...state.tasks.values()].filter(({ stage }) => stage.kind === "queued");
  if (queued.length === 0) return undefined;
  const { used, working } = slotsInUse(state);
  const hasRoom = ({ model, root }: BackgroundTask): boolean => {
    const provider = model.split("/")[0]!;
    const ofModel = Object.hasOwn(limits.slots, model) ? limits.slots[model]! : limits.perModel;
    const ofProvider = Object.hasOwn(limits.slots, provider) ? limits.slots[provider]! : Number.POSITIVE_INFINITY;
    const inUse = (key: string): number => used.get(key) ?? 0;
    return (
      inUse(`model ${model}`) < ofModel &&
      inUse(`provider ${provider}`) < ofProvider &&
      inUse(`root ${root}`) < limits.perRoot
    );
  };
  let first: BackgroundTask | undefined;
  const load = ({ parent }: BackgroundTask): number => working.get(parent) ?? 0;
  // The map keeps the order in which they came.
  for (const task of queued) if (hasRoom(task) && (first === undefined || load(task) < load(first))) first = task;
  return first;
}

/**
 * Slots are counted, never taken or returned, so none can be lost. A task that has tasks of its own lends them its slot: otherwise
 * it could wait for a slot that only it can free.
 */
export function slotsInUse(state: BackgroundState): {
  readonly used: ReadonlyMap<string, number>;
  readonly working: ReadonlyMap<string, number>;
} {
  const used = new Map<string, number>();
  const working = new Map<string, number>();
  const lends = new Set([...state.tasks.values()].filter(isOpen).map((task) => task.parent));
  const add = (counts: Map<string, number>, key: string): unknown => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const task of state.tasks.values()) {
    if (!isWorking(task)) continue;
    add(working, task.parent);
    if (lends.has(task.id)) continue;
    add(used, `model ${task.model}`);
    add(used, `provider ${task.model.split("/")[0]}`);
    add(used, `root ${task.root}`);
  }
  return { used, working };
}

/** Why this session may not launch another task now; undefined if it may. */
export function whyNotLaunch(
  state: BackgroundState,
  limits: BackgroundLimits,
  { root, depth }: { readonly root: string; readonly depth: number },
): string | undefined {
  if (depth > limits.depth)
    return `tasks may be nested at most ${limits.depth} deep (\`background.depth\` in the settings)`;
  const open = [...state.tasks.values()].filter((task) => task.root === root && isOpen(task)).length;
  if (open < limits.open) return undefined;
  return `${open} of ${count(limits.open, "task")} ${limits.open === 1 ? "is" : "are"} already open (\`background.open\` in the settings); wait for one to end or cancel one`;
}
