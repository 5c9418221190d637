import type { Json } from "../run/json.ts";
import type { Schema } from "./check-schema.ts";

/** A tasks file's content. Anything else in it belongs to its author and is kept. */
export type TasksFile = { readonly version: "1.0"; readonly tasks: readonly Task[]; readonly metadata?: Json };

export type Task = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly status: TaskStatus;
  /** Lower numbers come first; tasks without one come last. */
  readonly priority?: number;
  /** Ids of the tasks that must pass first. */
  readonly dependencies?: readonly string[];
  readonly acceptanceCriteria?: readonly string[];
  readonly notes?: string;
  readonly metadata?: { readonly [key: string]: Json | undefined };
  /** The pick that last took it: `<run>/<step>`. Removed when the task passes. */
  readonly claimedBy?: string;
  /** How often that run has started it. Removed when the task passes. */
  readonly attempts?: number;
  /** Why the last attempt failed. Removed when the task passes. */
  readonly error?: string;
};

export const taskStatuses = ["pending", "in_progress", "passing", "failing", "skipped"] as const;

export type TaskStatus = (typeof taskStatuses)[number];

const word = { type: "string", pattern: "\\S" } as const;

const task: Schema = {
  type: "object",
  required: ["id", "name", "status"],
  properties: {
    id: { ...word, description: "Unique within the file." },
    name: { ...word, description: "What to do, in one line." },
    description: { type: "string", description: "What to do, in detail." },
    status: { enum: taskStatuses, description: "The task's status. Updated by the task loop." },
    priority: { type: "number", description: "Lower numbers come first; tasks without one come last." },
    dependencies: {
      type: "array",
      items: word,
      description: "Ids of the tasks that must be passing before this one can start.",
    },
    acceptanceCriteria: {
      type: "array",
      items: { type: "string" },
      description: "What must be true when the task is done.",
    },
    notes: { type: "string", description: "Notes for the agent that works on the task." },
    metadata: { type: "object", description: "Anything else." },
    claimedBy: { ...word, description: "The run and step that last claimed the task. Written by the task loop." },
    attempts: {
      type: "integer",
      minimum: 0,
      description: "How many times that run has started the task. Written by the task loop.",
    },
    error: { type: "string", description: "Why the last attempt failed. Written by the task loop." },
  },
};

/** The JSON schema of tasks.json. Files are checked with it, and `schema/tasks.schema.json` is a copy for editors. */
export const tasksSchema: Schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "tasks.json",
  description: "Tasks that a task loop works through.",
  type: "object",
  required: ["version", "tasks"],
  properties: {
    version: { const: "1.0", description: "The version of this format." },
    tasks: { description: "The tasks. Where priorities are equal, their order counts.", type: "array", items: task },
    metadata: {
      description: "Where the tasks come from.",
      type: "object",
      properties: {
        createdAt: { type: "string", description: "When the file was created, in ISO 8601 format." },
        updatedAt: { type: "string", description: "When the file was last changed. Updated automatically if present." },
        source: { type: "string", description: 'What it was created from: "spec", "manual", "generated", "migrated".' },
        migratedFrom: { type: "string", description: "The list that it was imported from." },
      },
    },
  },
};
