import type { Json } from "../run/json.ts";

/** What a tasks file holds. Whatever else stands in it belongs to its author, and stays. */
export type TasksFile = {
  readonly version: "1.0";
  readonly tasks: readonly Task[];
  readonly metadata?: Json;
};

export type Task = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly status: TaskStatus;
  /** Lower comes first; none comes last. */
  readonly priority?: number;
  /** Ids of the tasks that have to be passing first. */
  readonly dependencies?: readonly string[];
  readonly acceptanceCriteria?: readonly string[];
  readonly notes?: string;
  readonly metadata?: { readonly [key: string]: Json | undefined };
  /** The pick that took it last: `<run>/<step>`. Gone when the task passes. */
  readonly claimedBy?: string;
  /** How often it was begun by that run. Gone when the task passes. */
  readonly attempts?: number;
  /** Why the last attempt failed. Gone when the task passes. */
  readonly error?: string;
};

export const taskStatuses = ["pending", "in_progress", "passing", "failing", "skipped"] as const;

export type TaskStatus = (typeof taskStatuses)[number];
