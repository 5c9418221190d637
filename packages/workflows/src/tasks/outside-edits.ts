// What others have done to the tasks since a loop last looked. An agent may write that tasks pass which nobody has worked on;
// a person may, too, and is right. Pure.
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import { present } from "../graph/present.ts";
import { type Seen, type SeenTask, seenTask } from "./seen.ts";
import type { Task } from "./task.ts";

export interface LookOptions {
  /** Whether agents of loops have been at work since. What changes while none is comes from a person. */
  readonly wereAtWork: boolean;
  /** Whether somebody who took a task will still say what became of it. */
  readonly isHeld: (claim: string) => boolean;
  readonly markedMeanwhile: "accept" | "verify";
}

export interface Look {
  /** As they are after the edits. */
  readonly tasks: readonly Task[];
  readonly edits: readonly Edit[];
  readonly seen: Seen;
  /** What to tell. */
  readonly notes: readonly string[];
}

export function lookAt(tasks: readonly Task[], before: Seen | undefined, options: LookOptions): Look {
  const edits: Edit[] = [];
  const seen = new Map<string, SeenTask>();
  const notes: string[] = [];
  const looked = tasks.map((task, at) => {
    const found = compare(task, before?.get(task.id), options);
    seen.set(task.id, found.seen);
    if (found.note !== undefined) notes.push(`"${task.id}" ${found.note}`);
    const { fields = {} } = found;
    edits.push(...Object.entries(fields).map(([key, value]): Edit => ({ op: "set", path: ["tasks", at, key], value })));
    return { ...task, ...fields };
  });
  const gone = [...(before ?? [])].filter(([id, { status }]) => status !== "passing" && !seen.has(id));
  if (options.wereAtWork) notes.push(...gone.map(([id]) => `"${id}" was removed while agents were at work.`));
  return { tasks: looked, edits, seen, notes };
}

interface Compared {
  readonly seen: SeenTask;
  readonly note?: string;
  readonly fields?: Partial<Pick<Task, "status" | "claimedBy" | "attempts" | "error">>;
}

function compare(task: Task, was: SeenTask | undefined, options: LookOptions): Compared {
  const seen = seenTask(task);
  if (was === undefined || !options.wereAtWork || was.status === task.status) return { seen: kept(was, seen) };
  if (task.status === "skipped") return { seen, note: "was set to skipped while agents were at work." };
  if (task.status !== "passing" || was.status === "skipped") return { seen };
  if (isAtWork(was, options.isHeld)) return { seen: was };
  const what = "was set to passing while agents were at work, but not by this loop;";
  if (options.markedMeanwhile === "accept") return { seen: { ...seen, isUnworked: true }, note: `${what} it counts.` };
  const back = was.status === "failing" ? present({ ...was, isUnworked: undefined }) : { status: "pending" as const };
  const error = "It was set to passing while an agent was at work on another task; nobody has checked it.";
  const fields = { ...back, ...(!task.error && { error }) };
  return { seen: back, note: `${what} it is set back to ${back.status}.`, fields };
}

/** Somebody is at it who will say how it ended. */
export function isAtWork({ status, claimedBy }: SeenTask, isHeld: LookOptions["isHeld"]): boolean {
  return status === "in_progress" && claimedBy !== undefined && isHeld(claimedBy);
}

function kept(was: SeenTask | undefined, seen: SeenTask): SeenTask {
  return was?.isUnworked && was.status === seen.status ? { ...seen, isUnworked: true } : seen;
}

/** Those that pass only by somebody's word. */
export function unworked(tasks: readonly Task[], seen: Seen): readonly string[] {
  return tasks.flatMap(({ id, status }) => (status === "passing" && seen.get(id)?.isUnworked ? [id] : []));
}
