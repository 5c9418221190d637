// What marking a task changes in its file, as splices. Pure.
import type { Edit } from "@atomic/durable-files/jsonc/edit";
import type { TaskOutcome } from "../graph/loop-decisions.ts";
import { runOf } from "./claim.ts";
import type { Task, TaskStatus } from "./task.ts";

/** In characters, of what a file keeps of an error. */
const longestError = 1000;

/** The task as it will be, and what makes it so. */
export interface Marked {
  readonly task: Task;
  readonly edits: readonly Edit[];
}

export function markPicked(task: Task, at: number, pick: { readonly by: string; readonly attempt: number }): Marked {
  const fields = { status: "in_progress", claimedBy: pick.by, attempts: pick.attempt } as const;
  const edits = Object.entries(fields).map(([key, value]): Edit => ({ op: "set", path: ["tasks", at, key], value }));
  return { task: { ...task, ...fields }, edits };
}

/** What became of the outcome: it was marked, or the file was right in not saying so. */
type Settled =
  | { readonly did: "marked"; readonly status: TaskStatus }
  | { readonly did: "kept"; readonly because: string };

export interface Settling {
  readonly edits: readonly Edit[];
  readonly result: Settled;
}

export interface PickedTask {
  readonly id: string;
  readonly by: string;
  readonly attempts?: number | undefined;
  /** Whether a loop has seen it passing: then another one has done it. */
  readonly isKnownToPass?: boolean | undefined;
}

/**
 * Marks how a task ended, if it is still the one that was picked. Whatever somebody wrote as its status meanwhile stays,
 * unless it says that work which failed is passing.
 */
export function settle(tasks: readonly Task[], picked: PickedTask, outcome: TaskOutcome): Settling {
  const { id, by } = picked;
  const at = tasks.findIndex((task) => task.id === id);
  const task = tasks[at];
  if (task === undefined) return kept(`"${id}" is not in the file any more`);
  const { status, claimedBy } = task;
  // An agent that writes the file anew leaves no claim.
  const isOurs = claimedBy === by || (claimedBy === undefined && status === "passing" && !picked.isKnownToPass);
  if (!isOurs || (outcome.ok && claimedBy !== by)) return kept(whyNotOurs(task));
  const isOpen = status === "in_progress" || (status === "passing" && !outcome.ok);
  if (!isOpen) {
    const isDone = status === "failing" && !outcome.ok;
    return kept(isDone ? `"${id}" is marked as failing already` : `somebody set "${id}" to ${status} meanwhile`);
  }
  return outcome.ok ? passing(task, at) : failing(task, at, picked, outcome.error.message);
}

function whyNotOurs({ id, status, claimedBy }: Task): string {
  if (claimedBy !== undefined) return `"${id}" was taken by the run ${runOf(claimedBy)} meanwhile`;
  return status === "passing" ? `"${id}" is marked as passing already` : `somebody set "${id}" to ${status} meanwhile`;
}

/** Nothing stays but the status: what was written down for the work is of no interest any more. */
function passing(task: Task, at: number): Settling {
  const gone = (["claimedBy", "attempts", "error"] as const).filter((key) => task[key] !== undefined);
  const edits: Edit[] = [
    { op: "set", path: ["tasks", at, "status"], value: "passing" },
    ...gone.map((key): Edit => ({ op: "remove", path: ["tasks", at, key] })),
  ];
  return { edits, result: { did: "marked", status: "passing" } };
}

function failing(task: Task, at: number, { by, attempts = 1 }: PickedTask, message: string): Settling {
  const lost = task.claimedBy === undefined ? { claimedBy: by, attempts } : {};
  const fields = { status: "failing", ...lost, error: withoutMiddle(message) };
  const edits = Object.entries(fields).map(([key, value]): Edit => ({ op: "set", path: ["tasks", at, key], value }));
  return { edits, result: { did: "marked", status: "failing" } };
}

/** An error begins with what happened, and what a program said about it ends with the cause. */
function withoutMiddle(message: string): string {
  const characters = [...message];
  if (characters.length <= longestError) return message;
  const half = longestError / 2;
  return `${characters.slice(0, half).join("")} … ${characters.slice(-half).join("")}`;
}

function kept(because: string): Settling {
  return { edits: [], result: { did: "kept", because } };
}
