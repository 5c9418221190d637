// What a task loop does to its file when it picks tasks and when they have ended. Pure.
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import { count } from "@atomic/terminal/count";
import type { PickRequest, TaskOutcome, TaskPick } from "../graph/services.ts";
import type { LoopTask } from "../graph/state.ts";
import { runOf } from "./claim.ts";
import { isHeld, listed, type Next, type NextOptions, nextTasks } from "./next.ts";
import { isAtWork, type LastSeen, outsideEdits, seenTask, setFields } from "./outside-edits.ts";
import type { TaskChange } from "./store.ts";
import type { Task, TaskStatus } from "./task.ts";

interface Picked {
  readonly pick: TaskPick;
  /** What others have done to the tasks. */
  readonly notes: readonly string[];
  /** If it is a stop: other runs are at work, so there may be something to do later. */
  readonly mayChange: boolean;
}

type Picker = Required<Pick<NextOptions, "by" | "isLive">>;

/** What is worked on next, and what that changes. */
export function pickFrom(
  before: readonly Task[],
  lastSeen: LastSeen | undefined,
  request: PickRequest,
  picker: Picker,
): TaskChange<Picked> {
  const held = (claim: string): boolean => isHeld(claim, picker);
  const wereAtWork = request.iteration > 1 || [...(lastSeen?.values() ?? [])].some((each) => isAtWork(each, held));
  const { markedMeanwhile = "accept" } = request.loop;
  const outside = outsideEdits(before, lastSeen, { wereAtWork, isHeld: held, markedMeanwhile });
  const { tasks, notes } = outside;
  const edits = [...outside.edits];
  const seen = new Map(outside.seen);
  const next = decideNext(tasks, request, picker);
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
  // Those that pass only because another process or person said so.
  const unworked = tasks.filter(({ id, status }) => status === "passing" && seen.get(id)?.isUnworked);
  const ids = listed(unworked.map(({ id }) => id));
  const more = `, of which this loop has not worked on ${unworked.length}, set to passing while agents were at work: ${ids}`;
  const reason = unworked.length === 0 ? next.reason : next.reason + more;
  const pick = { do: "stop", reason, complete: next.complete } as const;
  return { edits, seen, result: { pick, notes, mayChange: next.mayChange === true } };
}

function decideNext(tasks: readonly Task[], { loop, mayRun, until, select }: PickRequest, picker: Picker): Next {
  if (until?.(tasks) === true) return { do: "stop", reason: "done", complete: true };
  const { limit, maxAttempts = 1 } = loop;
  const next = nextTasks(tasks, { ...picker, limit, maxAttempts, select: select as NextOptions["select"] });
  if (next.do === "run" && !mayRun) {
    const left = tasks.filter(({ status }) => status !== "passing" && status !== "skipped").map(({ id }) => id);
    const reason = `max-iterations: ${count(left.length, "task")} left: ${listed(left)}`;
    return { do: "stop", reason, complete: false };
  }
  if (next.do === "run" || !next.complete || until === undefined) return next;
  return { do: "stop", reason: `${next.reason}, but the loop's own condition does not hold`, complete: false };
}

/** The task as it will be, and the edits that make it so. */
export function markPicked(
  task: Task,
  at: number,
  pick: { readonly by: string; readonly attempt: number },
): { readonly task: Task; readonly edits: readonly Edit[] } {
  const fields = { status: "in_progress", claimedBy: pick.by, attempts: pick.attempt } as const;
  return { task: { ...task, ...fields }, edits: setFields(at, fields) };
}

/** What became of the outcome: it was marked, or the file was right in not saying so. */
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
  /** Whether a loop has seen it passing: then another one has done it. */
  readonly isKnownToPass?: boolean | undefined;
}

/** In characters, of what a file keeps of an error. */
const longestError = 1000;

/**
 * Marks how a task ended, if it is still the one that was picked. A status that another writer set in the meantime stays,
 * unless it says that work which failed is passing.
 */
export function settle(tasks: readonly Task[], picked: PickedTask, outcome: TaskOutcome): TaskChange<Settled> {
  const { id, by, attempts = 1 } = picked;
  const kept = (because: string): TaskChange<Settled> => ({ edits: [], result: { did: "kept", because } });
  const at = tasks.findIndex((task) => task.id === id);
  const task = tasks[at];
  if (task === undefined) return kept(`"${id}" is not in the file any more`);
  const { status, claimedBy } = task;
  // An agent that rewrites the file leaves no claim.
  const isOurs = claimedBy === by || (claimedBy === undefined && status === "passing" && !picked.isKnownToPass);
  if (!isOurs || (outcome.ok && claimedBy !== by)) {
    if (claimedBy !== undefined) return kept(`"${id}" was taken by the run ${runOf(claimedBy)} in the meantime`);
    if (status === "passing") return kept(`"${id}" is marked as passing already`);
    return kept(`"${id}" was set to ${status} in the meantime`);
  }
  if (status === "failing" && !outcome.ok) return kept(`"${id}" is marked as failing already`);
  if (status !== "in_progress" && (status !== "passing" || outcome.ok)) {
    return kept(`"${id}" was set to ${status} in the meantime`);
  }
  if (outcome.ok) {
    // Only the status stays: the notes that were made for the work are of no interest any more.
    const gone = (["claimedBy", "attempts", "error"] as const).filter((key) => task[key] !== undefined);
    const removals = gone.map((key): Edit => ({ op: "remove", path: ["tasks", at, key] }));
    return {
      edits: [...setFields(at, { status: "passing" }), ...removals],
      result: { did: "marked", status: "passing" },
    };
  }
  // An error begins with what happened, and a program's output ends with the cause: the middle goes.
  let error = outcome.error.message;
  const [characters, half] = [[...error], longestError / 2];
  if (characters.length > longestError) {
    error = `${characters.slice(0, half).join("")} … ${characters.slice(-half).join("")}`;
  }
  const lost = claimedBy === undefined ? { claimedBy: by, attempts } : {};
  return {
    edits: setFields(at, { status: "failing", ...lost, error }),
    result: { did: "marked", status: "failing" },
  };
}
