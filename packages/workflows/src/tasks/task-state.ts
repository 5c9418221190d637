// Where each task stands, as one pick sees it. Pure: no disk, no clock.
import { isSameLoop, runOf } from "./claim.ts";
import type { Task } from "./task.ts";
import { taskOrder } from "./task-order.ts";

export type TaskState =
  | { readonly kind: "passing" | "skipped" }
  /** Taken by this very pick, before a crash. */
  | { readonly kind: "ours" }
  /** Somebody else is at it. */
  | { readonly kind: "elsewhere"; readonly run: string }
  | { readonly kind: "given-up"; readonly error?: string }
  /** Can never be begun, for these have been given up or skipped. */
  | { readonly kind: "blocked"; readonly by: readonly string[] }
  | { readonly kind: "waiting"; readonly for: readonly string[] }
  /** `attempt` is the number of the one to come. */
  | { readonly kind: "ready"; readonly attempt: number };

export interface Situation {
  /** Key of the pick that asks; nobody's if a person just wants to know. */
  readonly by?: string;
  /** How often one run tries a task. */
  readonly maxAttempts: number;
  /** Whether somebody works on this run. Only asked about runs of claims. */
  readonly isLive: (run: string) => boolean;
}

/** The states in the order of the tasks. */
export function taskStates(tasks: readonly Task[], situation: Situation): readonly TaskState[] {
  const states = new Map<string, TaskState>();
  const { order, rest } = taskOrder(tasks);
  for (const at of [...order, ...rest]) {
    const task = tasks[at] as Task;
    const own = ownState(task, situation);
    states.set(task.id, own.kind === "ready" ? withDependencies(task, own, states) : own);
  }
  return tasks.map(({ id }) => states.get(id) as TaskState);
}

/** `ready` stands for everything that dependencies may still hold back. */
function ownState(task: Task, situation: Situation): TaskState {
  const { status, claimedBy, error } = task;
  if (status === "passing" || status === "skipped") return { kind: status };
  if (status === "in_progress" && claimedBy !== undefined) {
    if (claimedBy === situation.by) return { kind: "ours" };
    const run = runOf(claimedBy);
    if (isHeld(claimedBy, situation)) return { kind: "elsewhere", run };
  }
  const tries = triesSoFar(task, situation);
  if (status === "failing" && tries >= situation.maxAttempts) {
    return { kind: "given-up", ...(error !== undefined && { error }) };
  }
  return { kind: "ready", attempt: tries + 1 };
}

/** Without this, a crash in the middle of a task would leave it in progress for ever. */
export function isHeld(claim: string, { by, isLive }: Pick<Situation, "by" | "isLive">): boolean {
  if (by !== undefined && runOf(claim) === runOf(by)) return !isSameLoop(claim, by);
  return isLive(runOf(claim));
}

/** A new run begins to count anew: what made the tasks of an old one fail may have been put right. */
function triesSoFar({ claimedBy, attempts = 1 }: Task, { by, isLive }: Situation): number {
  if (claimedBy === undefined) return 0;
  const run = runOf(claimedBy);
  return (by !== undefined && run === runOf(by)) || isLive(run) ? attempts : 0;
}

function withDependencies(task: Task, ready: TaskState, states: ReadonlyMap<string, TaskState>): TaskState {
  const blockers = new Set<string>();
  const open = new Set<string>();
  for (const id of task.dependencies ?? []) {
    const state = states.get(id);
    if (state?.kind === "passing") continue;
    if (state?.kind === "skipped" || state?.kind === "given-up") blockers.add(id);
    else if (state?.kind === "blocked") for (const each of state.by) blockers.add(each);
    else open.add(id);
  }
  if (blockers.size > 0) return { kind: "blocked", by: [...blockers] };
  return open.size > 0 ? { kind: "waiting", for: [...open] } : ready;
}
