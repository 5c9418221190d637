// What others have done to the tasks since a loop last saw them. An agent may write that tasks pass which nobody has worked
// on; you may, too, and you are right. Pure.
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import { present } from "../graph/json-value.ts";
import type { Task, TaskStatus } from "./task.ts";

export interface SeenTask {
  readonly status: TaskStatus;
  /** Of one that is in progress or failing: an agent that rewrites the file may lose it. */
  readonly claimedBy?: string | undefined;
  readonly attempts?: number | undefined;
  /** It was set to passing while agents were at work, and no loop had worked on it. */
  readonly isUnworked?: boolean | undefined;
}

/** How loops last saw a tasks file, by the ids of the tasks: shows what others have changed in it since. */
export type LastSeen = ReadonlyMap<string, SeenTask>;

export function seenTask({ status, claimedBy, attempts }: Omit<SeenTask, "isUnworked">): SeenTask {
  return { status, ...((status === "in_progress" || status === "failing") && { claimedBy, attempts }) };
}

interface OutsideEditsOptions {
  /** Whether agents of loops have been at work since. Changes made while none was come from a person. */
  readonly wereAtWork: boolean;
  /** Whether the one who took a task will still report its outcome. */
  readonly isHeld: (claim: string) => boolean;
  readonly markedMeanwhile: "accept" | "verify";
}

interface OutsideEdits {
  /** As they are after the edits. */
  readonly tasks: readonly Task[];
  readonly edits: readonly Edit[];
  readonly seen: LastSeen;
  /** What to report. */
  readonly notes: readonly string[];
}

export function outsideEdits(
  tasks: readonly Task[],
  before: LastSeen | undefined,
  options: OutsideEditsOptions,
): OutsideEdits {
  const { wereAtWork, isHeld, markedMeanwhile } = options;
  const edits: Edit[] = [];
  const seen = new Map<string, SeenTask>();
  const notes: string[] = [];
  const reviewed = tasks.map((task, at) => {
    const { id, status } = task;
    const was = before?.get(id);
    const now = seenTask(task);
    seen.set(id, now);
    if (was === undefined || !wereAtWork || was.status === status) {
      if (was?.isUnworked && was.status === status) seen.set(id, { ...now, isUnworked: true });
      return task;
    }
    if (status === "skipped") notes.push(`"${id}" was set to skipped while agents were at work.`);
    if (status !== "passing" || was.status === "skipped") return task;
    if (isAtWork(was, isHeld)) {
      seen.set(id, was);
      return task;
    }
    const what = `"${id}" was set to passing while agents were at work, but not by this loop;`;
    if (markedMeanwhile === "accept") {
      notes.push(`${what} it counts.`);
      seen.set(id, { ...now, isUnworked: true });
      return task;
    }
    const back = was.status === "failing" ? present({ ...was, isUnworked: undefined }) : { status: "pending" as const };
    const error = "It was set to passing while an agent was at work on another task; it has not been checked.";
    const fields = { ...back, ...(!task.error && { error }) };
    notes.push(`${what} it is set back to ${back.status}.`);
    seen.set(id, back);
    edits.push(...setFields(at, fields));
    return { ...task, ...fields };
  });
  const gone = [...(before ?? [])].filter(([id, { status }]) => status !== "passing" && !seen.has(id));
  if (wereAtWork) notes.push(...gone.map(([id]) => `"${id}" was removed while agents were at work.`));
  return { tasks: reviewed, edits, seen, notes };
}

/** Somebody is working on it and will report how it ended. */
export function isAtWork({ status, claimedBy }: SeenTask, isHeld: OutsideEditsOptions["isHeld"]): boolean {
  return status === "in_progress" && claimedBy !== undefined && isHeld(claimedBy);
}

export function setFields(at: number, fields: Partial<Task>): Edit[] {
  return Object.entries(present(fields)).map(
    ([key, value]) => ({ op: "set", path: ["tasks", at, key], value }) as Edit,
  );
}
