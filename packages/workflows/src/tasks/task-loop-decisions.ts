import type { LoopStop, PickRequest, TaskLoopDecisions, TaskPick } from "../graph/loop-decisions.ts";
import { escapeForTerminal } from "../hidden-characters.ts";
import { count } from "../terminal/count.ts";
import { claimingRuns } from "./claim.ts";
import { markPicked, settle } from "./marks.ts";
import { type Next, type NextOptions, nextTasks } from "./next.ts";
import { listed } from "./stop-reason.ts";
import { type Decision, type TaskStore, taskStore } from "./store.ts";
import type { Task } from "./task.ts";
import type { Situation } from "./task-state.ts";

export interface TaskLoopDecisionsOptions {
  /** Of the project: paths of tasks files count from here. */
  readonly folder: string;
  /** Whether somebody works on a run, so that its tasks are left to it. Default: somebody does. See `liveRuns`. */
  readonly isLive?: (runId: string) => Promise<boolean> | boolean;
  /** Keeps the lock of tasks files. Default: `.atomic/tasks` in the project. */
  readonly stateFolder?: string;
  /** How long others are waited for. Default 30,000. */
  readonly deadlineMs?: number;
  readonly now?: () => Date;
}

/**
 * Task loops on a `tasks.json`: what is picked is marked there first, with the pick's key, so that a pick that comes again
 * after a crash gives the same tasks, and nobody else is given them meanwhile.
 * @example
 * const services = { host, taskLoop: taskLoopDecisions({ folder: ".", isLive: liveRuns(() => engine) }) };
 */
export function taskLoopDecisions(options: TaskLoopDecisionsOptions): TaskLoopDecisions {
  const { folder, stateFolder, deadlineMs, now, isLive = () => true } = options;
  const storeOf = (path: string): TaskStore => taskStore({ folder, path, stateFolder, deadlineMs, now });
  return {
    pick: async (request, { idemKey, signal }) => {
      const store = storeOf(request.tasksPath);
      const decide = async (tasks: readonly Task[]): Promise<Next> =>
        decideNext(tasks, request, { by: idemKey, isLive: await liveness(tasks, isLive) });
      return await store.change(async (tasks) => marked(tasks, await decide(tasks), idemKey), signal);
    },
    settle: async ({ tasksPath, task, outcome }, info) => {
      const picked = { id: task.id, by: String(task.claimedBy) };
      const store = storeOf(tasksPath);
      const settled = await store.change((tasks) => settle(tasks, picked, outcome), info.signal);
      if (settled.did === "kept") info.note(oneLine(`${store.file}: ${settled.because}; it stays as it is.`));
    },
  };
}

/** Asked beforehand about every run that has a claim, for what follows cannot wait for an answer. */
async function liveness(
  tasks: readonly Task[],
  isLive: (runId: string) => Promise<boolean> | boolean,
): Promise<Situation["isLive"]> {
  const known = new Map<string, boolean>();
  for (const run of claimingRuns(tasks)) known.set(run, await isLive(run));
  return (run) => known.get(run) === true;
}

function decideNext(
  tasks: readonly Task[],
  { loop, mayRun, until, select }: PickRequest,
  around: Pick<Situation, "by" | "isLive">,
): Next {
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
  if (next.do === "stop") return { edits: [], result: next };
  const marks = next.picks.map(({ task, attempt }) =>
    attempt === undefined ? { task, edits: [] } : markPicked(task, tasks.indexOf(task), { by, attempt }),
  );
  const picked = marks.map(({ task }) => task);
  return { edits: marks.flatMap(({ edits }) => edits), result: { do: "run", tasks: picked } };
}

function oneLine(text: string): string {
  return escapeForTerminal(text, { singleLine: true });
}
