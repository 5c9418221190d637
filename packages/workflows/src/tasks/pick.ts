// What a task loop does to its file, when it picks tasks and when they have ended. Pure.

import { count } from "@atomic/terminal/count";
import type { LoopStop, PickRequest, TaskOutcome, TaskPick } from "../graph/loop-decisions.ts";
import type { LoopTask } from "../graph/node-definition.ts";
import { markPicked, type Settling, settle } from "./marks.ts";
import { type Next, type NextOptions, nextTasks } from "./next.ts";
import { isAtWork, lookAt, unworked } from "./outside-edits.ts";
import { type Seen, seenTask } from "./seen.ts";
import { listed } from "./stop-reason.ts";
import type { Decision } from "./store.ts";
import type { Task } from "./task.ts";
import { isHeld, type Situation } from "./task-state.ts";

interface Picked {
  readonly pick: TaskPick;
  /** What others have done to the tasks. */
  readonly notes: readonly string[];
  /** If it is a stop: other runs are at work, so there may be something to do later. */
  readonly mayChange: boolean;
}

/** What is worked on next, and what that changes. */
export function pickFrom(
  tasks: readonly Task[],
  before: Seen | undefined,
  request: PickRequest,
  around: Around,
): Decision<Picked> {
  const held = (claim: string): boolean => isHeld(claim, around);
  const others = [...(before?.values() ?? [])].some((each) => isAtWork(each, held));
  const { markedMeanwhile = "accept" } = request.loop;
  const look = lookAt(tasks, before, { wereAtWork: request.iteration > 1 || others, isHeld: held, markedMeanwhile });
  const next = decideNext(look.tasks, request, around);
  const mayChange = next.do === "stop" && next.mayChange === true;
  const { edits, result } = marked(look.tasks, next, around.by);
  const seen = new Map(look.seen);
  if (result.do === "run") for (const task of result.tasks as readonly Task[]) seen.set(task.id, seenTask(task));
  const pick = withUnworked(result, look.tasks, seen);
  return { edits: [...look.edits, ...edits], seen, result: { pick, notes: look.notes, mayChange } };
}

function withUnworked(pick: TaskPick, tasks: readonly Task[], seen: Seen): TaskPick {
  const ids = unworked(tasks, seen);
  if (pick.do === "run" || ids.length === 0) return pick;
  const more = `of which this loop has not worked on ${ids.length}, set to passing while agents were at work: ${listed(ids)}`;
  return { ...pick, reason: `${pick.reason}, ${more}` };
}

export function settleIn(
  tasks: readonly Task[],
  before: Seen | undefined,
  { id, claimedBy, attempts }: LoopTask,
  outcome: TaskOutcome,
): Decision<Settling["result"]> {
  const isKnownToPass = before?.get(id)?.status === "passing";
  const marks = { claimedBy: String(claimedBy), attempts: attempts as number | undefined };
  const picked = { id, by: marks.claimedBy, attempts: marks.attempts, isKnownToPass };
  const settling = settle(tasks, picked, outcome);
  const task = tasks.find((each) => each.id === id);
  if (before === undefined || task === undefined) return settling;
  const { result } = settling;
  const seen = new Map(before).set(
    id,
    result.did === "marked" ? seenTask({ ...marks, status: result.status }) : seenTask(task),
  );
  return { ...settling, seen };
}

type Around = Required<Pick<Situation, "by" | "isLive">>;

function decideNext(tasks: readonly Task[], { loop, mayRun, until, select }: PickRequest, around: Around): Next {
  if (until?.(tasks) === true) return { do: "stop", reason: "done", complete: true };
  const { limit, maxAttempts = 1 } = loop;
  const next = nextTasks(tasks, { ...around, limit, maxAttempts, select: select as NextOptions["select"] });
  if (next.do === "run") return mayRun ? next : outOfIterations(tasks);
  if (!next.complete || until === undefined) return next;
  return { do: "stop", reason: `${next.reason}, but the loop's own condition does not hold`, complete: false };
}

function outOfIterations(tasks: readonly Task[]): LoopStop {
  const left = tasks.filter(({ status }) => status !== "passing" && status !== "skipped").map(({ id }) => id);
  return { do: "stop", reason: `max-iterations: ${count(left.length, "task")} left: ${listed(left)}`, complete: false };
}

function marked(tasks: readonly Task[], next: Next, by: string): Decision<TaskPick> {
  if (next.do === "stop") {
    const { reason, complete } = next;
    return { edits: [], result: { do: "stop", reason, complete } };
  }
  const marks = next.picks.map(({ task, attempt }) =>
    attempt === undefined ? { task, edits: [] } : markPicked(task, tasks.indexOf(task), { by, attempt }),
  );
  const picked = marks.map(({ task }) => task);
  return { edits: marks.flatMap(({ edits }) => edits), result: { do: "run", tasks: picked } };
}
