// What a task loop does next. Pure: decides from the tasks as they are, and what is known about other runs.
import { ExplainedError } from "@atomic/durable-files/explained-error";
import { count } from "@atomic/terminal/count";
import type { LoopStop } from "../graph/services.ts";
import { runOf } from "./claim.ts";
import type { Task } from "./task.ts";
import { taskOrder } from "./task-order.ts";

export type Next =
  | { readonly do: "run"; readonly picks: readonly TaskToRun[] }
  /** `mayChange`: other runs are working, so there may be something to do later. */
  | (LoopStop & { readonly mayChange?: boolean });

interface TaskToRun {
  readonly task: Task;
  /** The attempt's number. A pick that a crash interrupted is already marked, and has none. */
  readonly attempt?: number;
}

export interface NextOptions extends TaskStateOptions {
  /** How many tasks run at a time. */
  readonly limit: number;
  /** Called once per pick, with the tasks that are left. Default: the first. */
  readonly select?: ((ready: readonly Task[]) => Task | undefined) | undefined;
}

export function nextTasks(tasks: readonly Task[], options: NextOptions): Next {
  const { by = "", limit, select } = options;
  const states = taskStates(tasks, options);
  const ours = tasks.filter((_, at) => states[at]?.kind === "ours");
  if (ours.length > 0) return { do: "run", picks: ours.map((task) => ({ task })) };
  const ready: TaskToRun[] = readyTasks(tasks, states);
  if (ready.length === 0) {
    // Complete means that every task passes, except those that you chose to skip.
    const complete =
      states.some(({ kind }) => kind === "passing") &&
      states.every(({ kind }) => kind === "passing" || kind === "skipped");
    // Tasks that this run holds in an enclosing loop wait for this loop, so waiting for them would never end.
    const mayChange = states.some((state) => state.kind === "elsewhere" && state.run !== runOf(by));
    return { do: "stop", reason: stopReason(tasks, states), complete, ...(mayChange && { mayChange }) };
  }
  if (select === undefined) return { do: "run", picks: ready.slice(0, limit) };
  const chosen: TaskToRun[] = [];
  while (chosen.length < limit && ready.length > 0) {
    const selected = select(ready.map(({ task }) => task));
    if (selected === undefined) break;
    const at = ready.findIndex(({ task }) => task.id === selected.id);
    if (at === -1) throw new BadSelectionError(selected.id);
    chosen.push(...ready.splice(at, 1));
  }
  if (chosen.length > 0) return { do: "run", picks: chosen };
  return { do: "stop", reason: "no ready task was selected", complete: false };
}

/** By priority, then in the file's order. */
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

/** A mistake in a task selector that would run a task too early or twice. */
export class BadSelectionError extends ExplainedError {
  override readonly name = "BadSelectionError";

  constructor(id: unknown) {
    const given = JSON.stringify(id) ?? "something without an id";
    super("bad-selection", {
      message: `The task selector returned ${given}, which is not one of the tasks it was given.`,
    });
  }
}

/** A task's state, as one pick sees it. */
type TaskState =
  | { readonly kind: "passing" | "skipped" }
  /** Taken by this same pick, before a crash. */
  | { readonly kind: "ours" }
  /** Another run or loop is working on it. */
  | { readonly kind: "elsewhere"; readonly run: string }
  | { readonly kind: "given-up"; readonly error: string | undefined }
  /** Can never start, because these have been given up or skipped. */
  | { readonly kind: "blocked"; readonly by: readonly string[] }
  | { readonly kind: "waiting"; readonly for: readonly string[] }
  /** `attempt` is the next attempt's number. */
  | { readonly kind: "ready"; readonly attempt: number };

export interface TaskStateOptions {
  /** The key of the pick that asks; undefined for a summary. */
  readonly by?: string;
  /** How often one run tries a task. */
  readonly maxAttempts: number;
  /** Whether a process is working on this run. Only called for runs that claim a task. */
  readonly isLive: (run: string) => boolean;
}

/** The states, in the tasks' order. */
export function taskStates(tasks: readonly Task[], options: TaskStateOptions): readonly TaskState[] {
  const states = new Map<string, TaskState>();
  const { order, rest } = taskOrder(tasks);
  for (const at of [...order, ...rest]) {
    const task = tasks[at] as Task;
    states.set(task.id, taskState(task, states, options));
  }
  return tasks.map(({ id }) => states.get(id) as TaskState);
}

/** Given the states of the tasks that it depends on. */
function taskState(task: Task, states: ReadonlyMap<string, TaskState>, options: TaskStateOptions): TaskState {
  const { status, claimedBy, attempts = 1, error, dependencies = [] } = task;
  const { by, isLive, maxAttempts } = options;
  if (status === "passing" || status === "skipped") return { kind: status };
  let tries = 0;
  if (claimedBy !== undefined) {
    const run = runOf(claimedBy);
    if (status === "in_progress" && claimedBy === by) return { kind: "ours" };
    if (status === "in_progress" && isHeld(claimedBy, options)) return { kind: "elsewhere", run };
    // A new run starts counting from zero: what made an old run's tasks fail may have been fixed.
    if ((by !== undefined && run === runOf(by)) || isLive(run)) tries = attempts;
  }
  if (status === "failing" && tries >= maxAttempts) return { kind: "given-up", error };
  const blockers = new Set<string>();
  const open = new Set<string>();
  for (const id of dependencies) {
    const state = states.get(id);
    if (state?.kind === "passing") continue;
    if (state?.kind === "skipped" || state?.kind === "given-up") blockers.add(id);
    else if (state?.kind === "blocked") for (const each of state.by) blockers.add(each);
    else open.add(id);
  }
  if (blockers.size > 0) return { kind: "blocked", by: [...blockers] };
  return open.size > 0 ? { kind: "waiting", for: [...open] } : { kind: "ready", attempt: tries + 1 };
}

/** Without this, a crash in the middle of a task would leave it in progress forever. */
export function isHeld(claim: string, { by, isLive }: Pick<TaskStateOptions, "by" | "isLive">): boolean {
  if (by === undefined || runOf(claim) !== runOf(by)) return isLive(runOf(claim));
  // Iterations of a loop, and of the loops around it, run one after the other: of two picks that only differ in their
  // iterations, the earlier one is over.
  return claim.replaceAll(/#\d+/g, "#") !== by.replaceAll(/#\d+/g, "#");
}

/** How many ids a sentence lists. */
const mostNamed = 8;
/** The longest error inside a sentence, in characters. */
const longestError = 120;

/** Why nothing can start, for people: "2 tasks failing: lint (3 errors), test; 1 blocked by them: ship". */
function stopReason(tasks: readonly Task[], states: readonly TaskState[]): string {
  if (tasks.length === 0) return "the file has no tasks";
  type Stated<K> = { readonly id: string; readonly state: Extract<TaskState, { kind: K }> };
  const of = <K extends TaskState["kind"]>(kind: K): Stated<K>[] =>
    tasks.flatMap((task, at) => (states[at]?.kind === kind ? [{ id: task.id, state: states[at] }] : [])) as Stated<K>[];
  const ids = (stated: readonly { readonly id: string }[]): string => listed(stated.map(({ id }) => id));
  const [failing, elsewhere, blocked, waiting] = [of("given-up"), of("elsewhere"), of("blocked"), of("waiting")];
  const [passing, skipped] = [of("passing"), of("skipped")];
  const open: string[] = [];
  if (failing.length > 0) {
    const named = failing.map(({ id, state: { error } }) => {
      if (error === undefined) return id;
      const characters = [...(error.trim().split(/[\r\n]/, 1)[0] ?? "")];
      return `${id} (${characters.slice(0, longestError).join("")}${characters.length > longestError ? "…" : ""})`;
    });
    open.push(`${count(failing.length, "task")} failing: ${listed(named)}`);
  }
  for (const run of new Set(elsewhere.map(({ state }) => state.run))) {
    const held = elsewhere.filter(({ state }) => state.run === run);
    open.push(`${count(held.length, "task")} in progress in the run ${run}: ${ids(held)}`);
  }
  const bySkipped = blocked.filter(({ state }) => state.by.every((id) => skipped.some((each) => each.id === id)));
  const byFailing = blocked.filter((each) => !bySkipped.includes(each));
  if (byFailing.length > 0) open.push(`${byFailing.length} blocked by them: ${ids(byFailing)}`);
  if (bySkipped.length > 0) open.push(`${count(bySkipped.length, "task")} blocked by skipped ones: ${ids(bySkipped)}`);
  if (waiting.length > 0) open.push(`${waiting.length} waiting for others: ${ids(waiting)}`);
  if (open.length > 0) return open.join("; ");
  if (passing.length === 0) return `${count(skipped.length, "task")} skipped, none left to do`;
  return `${count(passing.length, "task")} passing${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`;
}

export function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(", ")} and ${more} more` : names.join(", ");
}
