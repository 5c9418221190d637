// The tasks at a glance, for `atomic tasks`. Pure.
import { readyTasks, type TaskStateOptions, taskStates } from "./next.ts";
import type { Task, TaskStatus } from "./task.ts";
import type { TaskProblem } from "./tasks-error.ts";

export interface TaskSummary {
  readonly total: number;
  readonly counts: Readonly<Record<TaskStatus, number>>;
  /** Every task passes, except those that are skipped. */
  readonly complete: boolean;
  /** The tasks that can start, in order. */
  readonly next: readonly Task[];
  readonly inProgress: readonly { readonly task: Task; readonly run: string }[];
  /** Left in progress by a run that is over; the next run starts them again. */
  readonly stale: readonly Task[];
  readonly failing: readonly Task[];
  readonly waiting: readonly { readonly task: Task; readonly for: readonly string[] }[];
  /** Blocked by tasks that are failing or skipped, and stuck until those change. */
  readonly blocked: readonly { readonly task: Task; readonly by: readonly string[] }[];
  readonly problems: readonly TaskProblem[];
}

export interface SummaryOptions extends Pick<TaskStateOptions, "isLive"> {
  readonly problems?: readonly TaskProblem[];
}

export function summarizeTasks(tasks: readonly Task[], { isLive, problems = [] }: SummaryOptions): TaskSummary {
  // How often failing tasks will be tried is unknown here, so tasks that depend on them wait for you or the next run.
  const states = taskStates(tasks, { maxAttempts: 0, isLive });
  const counts = { pending: 0, in_progress: 0, passing: 0, failing: 0, skipped: 0 };
  for (const { status } of tasks) counts[status] += 1;
  const stated = tasks.flatMap((task, at) => {
    const state = states[at];
    return state === undefined ? [] : [{ task, state }];
  });
  return {
    total: tasks.length,
    counts,
    complete: counts.passing > 0 && counts.passing + counts.skipped === tasks.length,
    next: readyTasks(tasks, states).map(({ task }) => task),
    inProgress: stated.flatMap(({ task, state }) => (state.kind === "elsewhere" ? [{ task, run: state.run }] : [])),
    stale: stated.flatMap(({ task, state }) =>
      task.status === "in_progress" && state.kind !== "elsewhere" ? [task] : [],
    ),
    failing: tasks.filter(({ status }) => status === "failing"),
    waiting: stated.flatMap(({ task, state }) => (state.kind === "waiting" ? [{ task, for: state.for }] : [])),
    blocked: stated.flatMap(({ task, state }) => (state.kind === "blocked" ? [{ task, by: state.by }] : [])),
    problems,
  };
}
