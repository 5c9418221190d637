// What a task loop does next. Pure: the tasks as they are, and what is known around them, make the decision.
import { ExplainedError } from "@atomic/durable-files/explained-error";
import type { LoopStop } from "../graph/loop-decisions.ts";
import { runOf } from "./claim.ts";
import { stopReason } from "./stop-reason.ts";
import type { Task } from "./task.ts";
import { type Situation, type TaskState, taskStates } from "./task-state.ts";

export type Next = { readonly do: "run"; readonly picks: readonly TaskToRun[] } | NextStop;

interface NextStop extends LoopStop {
  /** Other runs are at work: there may be something to do later. */
  readonly mayChange?: boolean;
}

export interface TaskToRun {
  readonly task: Task;
  /** Number of the attempt. A pick that a crash interrupted has been marked already, and has none. */
  readonly attempt?: number;
}

export interface NextOptions extends Situation {
  /** How many tasks are worked on at a time. */
  readonly limit: number;
  /** Asked once for each of them, with those that are left. Default: the first. */
  readonly select?: ((ready: readonly Task[]) => Task | undefined) | undefined;
}

export function nextTasks(tasks: readonly Task[], options: NextOptions): Next {
  const states = taskStates(tasks, options);
  const ours = tasks.filter((_, at) => states[at]?.kind === "ours");
  if (ours.length > 0) return { do: "run", picks: ours.map((task) => ({ task })) };
  const ready = readyTasks(tasks, states);
  if (ready.length === 0) return stop(tasks, states, options);
  const chosen = choose(ready, options);
  if (chosen.length > 0) return { do: "run", picks: chosen };
  return { do: "stop", reason: "none of the tasks that are ready was selected", complete: false };
}

/** Complete means that every task passes, but for those that somebody chose to skip. */
function stop(tasks: readonly Task[], states: readonly TaskState[], { by = "" }: Situation): NextStop {
  const complete =
    states.some(({ kind }) => kind === "passing") &&
    states.every(({ kind }) => kind === "passing" || kind === "skipped");
  // What this run itself is at, around this loop, would wait for us in turn.
  const mayChange = states.some((state) => state.kind === "elsewhere" && state.run !== runOf(by));
  return { do: "stop", reason: stopReason(tasks, states), complete, ...(mayChange && { mayChange }) };
}

/** By priority, then as they stand in the file. */
export function readyTasks(tasks: readonly Task[], states: readonly TaskState[]): Required<TaskToRun>[] {
  const ready = tasks.flatMap((task, at) => {
    const state = states[at];
    return state?.kind === "ready" ? [{ task, attempt: state.attempt }] : [];
  });
  return ready.sort(({ task: a }, { task: b }) => {
    const [first, second] = [a.priority ?? Number.POSITIVE_INFINITY, b.priority ?? Number.POSITIVE_INFINITY];
    return first === second ? 0 : first - second;
  });
}

function choose(ready: readonly TaskToRun[], { limit, select }: NextOptions): TaskToRun[] {
  if (select === undefined) return ready.slice(0, limit);
  const left = [...ready];
  const chosen: TaskToRun[] = [];
  while (chosen.length < limit && left.length > 0) {
    const selected = select(left.map(({ task }) => task));
    if (selected === undefined) break;
    const at = left.findIndex(({ task }) => task.id === selected.id);
    if (at === -1) throw new BadSelectionError(selected.id);
    chosen.push(...left.splice(at, 1));
  }
  return chosen;
}

/** A selector's mistake, which would run a task too early or twice. */
export class BadSelectionError extends ExplainedError {
  override readonly name = "BadSelectionError";

  constructor(id: unknown) {
    const given = JSON.stringify(id) ?? "something without an id";
    super("bad-selection", {
      message: `The task selector gave ${given}, which is not among those it was asked to select from.`,
    });
  }
}
