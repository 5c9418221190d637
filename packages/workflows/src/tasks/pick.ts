// How a task loop changes its file when it picks tasks and when they end. Pure.
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import { count } from "@atomic/terminal/count";
import type { PickRequest, TaskOutcome, TaskPick } from "../graph/services.ts";
import type { LoopTask } from "../graph/state.ts";
import { runOf } from "./claim.ts";
import { isHeld, listed, type Next, type NextOptions, nextTasks } from "./next.ts";
import { type LastSeen, outsideEdits, seenTask, setFields } from "./outside-edits.ts";
import type { TaskChange } from "./store.ts";
import type { Task, TaskStatus } from "./task.ts";

interface Picked {
  readonly pick: TaskPick;
  /** What others did to the tasks. */
  readonly notes: readonly string[];
  /** Whether a stop may change, because other runs are working. */
  readonly mayChange: boolean;
}

/** The next tasks, and what that changes in the file. */
export function pickFrom(
  before: readonly Task[],
  lastSeen: LastSeen | undefined,
  request: PickRequest,
  picker: Required<Pick<NextOptions, "by" | "isLive">>,
): TaskChange<Picked> {
  const { markedMeanwhile = "verify" } = request.loop;
  const outside = outsideEdits(before, lastSeen, {
    hasRun: request.iteration > 1,
    isHeld: (claim) => isHeld(claim, picker),
    markedMeanwhile,
  });
  const { tasks, notes } = outside;
  const edits = [...outside.edits];
  const seen = new Map(outside.seen);
  const { mayRun, until, select } = request;
  const { limit, maxAttempts = 1 } = request.loop;
  let next: Next;
  if (until?.(tasks) === true) next = { do: "stop", reason: "done", complete: true };
  else {
    next = nextTasks(tasks, { ...picker, limit, maxAttempts, select: select as NextOptions["select"] });
    if (next.do === "run" && !mayRun) {
      const left = tasks.filter(({ status }) => status !== "passing" && status !== "skipped").map(({ id }) => id);
      const reason = `max-iterations: ${count(left.length, "task")} left: ${listed(left)}`;
      next = { do: "stop", reason, complete: false };
    } else if (next.do === "stop" && next.complete && until !== undefined) {
      next = { do: "stop", reason: `${next.reason}, but the loop's own condition is not met`, complete: false };
    }
  }
  if (next.do === "run") {
    const picked = next.picks.map(({ task, attempt }) => {
      if (attempt === undefined) return task;
      const marked = markPicked(task, tasks.indexOf(task), { by: picker.by, attempt });
      edits.push(...marked.edits);
      return marked.task;
    });
    for (const task of picked) seen.set(task.id, seenTask(task));
    return { edits, seen, result: { pick: { do: "run", tasks: picked }, notes, mayChange: false } };
  }
  // Tasks that pass only because something outside the loop said so.
  const unworked = tasks.filter(({ id, status }) => status === "passing" && seen.get(id)?.isUnworked);
  const ids = listed(unworked.map(({ id }) => id));
  const more = `, including ${unworked.length} that this loop did not work on and that were set to passing while agents were working: ${ids}`;
  const reason = unworked.length === 0 ? next.reason : next.reason + more;
  const pick = { do: "stop", reason, complete: next.complete } as const;
  return { edits, seen, result: { pick, notes, mayChange: next.mayChange === true } };
}

/** The task as it will be, and the edits for it. */
export function markPicked(
  task: Task,
  at: number,
  pick: { readonly by: string; readonly attempt: number },
): { readonly task: Task; readonly edits: readonly Edit[] } {
  const fields = { status: "in_progress", claimedBy: pick.by, attempts: pick.attempt } as const;
  return { task: { ...task, ...fields }, edits: setFields(at, fields) };
}

/** What happened to an outcome: it was marked, or the file stays as it is. */
type Settled =
  | { readonly did: "marked"; readonly status: TaskStatus }
  | { readonly did: "kept"; readonly because: string };

export function settleIn(
  tasks: readonly Task[],
  before: LastSeen | undefined,
  { id, claimedBy, attempts }: LoopTask,
  outcome: TaskOutcome,
): TaskChange<Settled> {
  const marks = { claimedBy: String(claimedBy), attempts: attempts as number | undefined };
  const isKnownToPass = before?.get(id)?.status === "passing";
  const settled = settle(tasks, { id, by: marks.claimedBy, attempts: marks.attempts, isKnownToPass }, outcome);
  const task = tasks.find((each) => each.id === id);
  if (before === undefined || task === undefined) return settled;
  const { result } = settled;
  const now = result.did === "marked" ? { ...marks, status: result.status } : task;
  return { ...settled, seen: new Map(before).set(id, seenTask(now)) };
}

export interface PickedTask {
  readonly id: string;
  readonly by: string;
  readonly attempts?: number | undefined;
  /** Whether a loop has seen it passing, which means another one has done it. */
  readonly isKnownToPass?: boolean | undefined;
}

/** How much of an error the file keeps, in characters. */
const longestError = 1000;

/**
 * Marks how a task ended, if it is still the one that was picked. A status that another writer set in the meantime stays,
 * unless it calls failed work passing.
 */
export function settle(tasks: readonly Task[], picked: PickedTask, outcome: TaskOutcome): TaskChange<Settled> {
  const { id, by, attempts = 1 } = picked;
  const kept = (because: string): TaskChange<Settled> => ({ edits: [], result: { did: "kept", because } });
  const at = tasks.findIndex((task) => task.id === id);
  const task = tasks[at];
  if (task === undefined) return kept(`"${id}" is no longer in the file`);
  const { status, claimedBy } = task;
  const removals = (["claimedBy", "attempts", "error"] as const)
    .filter((key) => task[key] !== undefined)
    .map((key): Edit => ({ op: "remove", path: ["tasks", at, key] }));
  // An agent that rewrites the file leaves no claim.
  const isOurs = claimedBy === by || (claimedBy === undefined && status === "passing" && !picked.isKnownToPass);
  // The agent may have marked the task itself, and what was recorded for the work no longer matters.
  if (isOurs && outcome.ok && status === "passing") {
    return { edits: removals, result: { did: "kept", because: `"${id}" is already marked as passing` } };
  }
  if (!isOurs || (outcome.ok && claimedBy !== by)) {
    if (claimedBy !== undefined) return kept(`"${id}" was claimed by the run ${runOf(claimedBy)} in the meantime`);
    if (status === "passing") return kept(`"${id}" is already marked as passing`);
    return kept(`"${id}" was set to ${status} in the meantime`);
  }
  if (status === "failing" && !outcome.ok) return kept(`"${id}" is already marked as failing`);
  if (status !== "in_progress" && (status !== "passing" || outcome.ok)) {
    return kept(`"${id}" was set to ${status} in the meantime`);
  }
  if (outcome.ok) {
    // Only the status stays.
    return {
      edits: [...setFields(at, { status: "passing" }), ...removals],
      result: { did: "marked", status: "passing" },
    };
  }
  // An error begins with what happened, and a program's output ends with the cause, so the middle is cut.
  let error = outcome.error.message;
  const [characters, half] = [[...error], longestError / 2];
  if (characters.length > longestError) {
    error = `${characters.slice(0, half).join("")} … ${characters.slice(-half).join("")}`;
  }
  const lost = claimedBy === undefined ? { claimedBy: by, attempts } : {};
  return { edits: setFields(at, { status: "failing", ...lost, error }), result: { did: "marked", status: "failing" } };
}
