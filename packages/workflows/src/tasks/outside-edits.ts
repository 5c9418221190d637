// What others have done to the tasks since a loop last saw them. An agent may mark tasks as passing that were never worked
// on; you may do the same, and then it counts. Pure.
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import { present } from "../graph/json-value.ts";
import type { Task, TaskStatus } from "./task.ts";

export interface SeenTask {
  readonly status: TaskStatus;
  /** Only for tasks in progress or failing: an agent that rewrites the file may lose it. */
  readonly claimedBy?: string | undefined;
  readonly attempts?: number | undefined;
  /** It was set to passing while agents were working, and no loop had worked on it. */
  readonly isUnworked?: boolean | undefined;
}

/** How loops last saw a tasks file, by task id. Shows what others have changed since. */
export type LastSeen = ReadonlyMap<string, SeenTask>;

export function seenTask({ status, claimedBy, attempts }: Omit<SeenTask, "isUnworked">): SeenTask {
  return { status, ...((status === "in_progress" || status === "failing") && { claimedBy, attempts }) };
}

interface OutsideEditsOptions {
  /** Whether this loop has run an iteration before. */
  readonly hasRun: boolean;
  /** Whether the run that took a task will still report its outcome. */
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
  const { hasRun, isHeld, markedMeanwhile } = options;
  /** Tasks that a run was working on, and will report on. */
  const atWork = new Set<string>();
  for (const [id, { status, claimedBy }] of before ?? []) {
    if (status === "in_progress" && claimedBy !== undefined && isHeld(claimedBy)) atWork.add(id);
  }
  // Changes made while no loop's agents were working are yours.
  const wereAtWork = hasRun || atWork.size > 0;
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
    if (status === "skipped") notes.push(`"${id}" was set to skipped while agents were working.`);
    if (status !== "passing" || was.status === "skipped") return task;
    if (atWork.has(id)) {
      seen.set(id, was);
      return task;
    }
    const what = `"${id}" was set to passing while agents were working, but not by this loop;`;
    if (markedMeanwhile === "accept") {
      notes.push(`${what} it counts.`);
      seen.set(id, { ...now, isUnworked: true });
      return task;
    }
    const back = was.status === "failing" ? present({ ...was, isUnworked: undefined }) : { status: "pending" as const };
    const error = "It was set to passing while an agent was working on another task; it has not been checked.";
    const fields = { ...back, ...(!task.error && { error }) };
    notes.push(`${what} it was reset to ${back.status}.`);
    seen.set(id, back);
    edits.push(...setFields(at, fields));
    return { ...task, ...fields };
  });
  const gone = [...(before ?? [])].filter(([id, { status }]) => status !== "passing" && !seen.has(id));
  if (wereAtWork) notes.push(...gone.map(([id]) => `"${id}" was removed while agents were working.`));
  return { tasks: reviewed, edits, seen, notes };
}

export function setFields(at: number, fields: Partial<Task>): Edit[] {
  return Object.entries(present(fields)).map(
    ([key, value]) => ({ op: "set", path: ["tasks", at, key], value }) as Edit,
  );
}
