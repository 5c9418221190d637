// What tasks.json has to look like, as data: files are checked with it, and `schema/tasks.schema.json` is a copy for editors.
import type { Schema } from "./check-schema.ts";
import { taskStatuses } from "./task.ts";

const word = { type: "string", pattern: "\\S" } as const;

const task: Schema = {
  type: "object",
  required: ["id", "name", "status"],
  properties: {
    id: { ...word, description: "Unique in the file." },
    name: { ...word, description: "What is to be done, in one line." },
    description: { type: "string", description: "What is to be done, in detail." },
    status: { enum: taskStatuses, description: "How far it is. Moved by the task loop." },
    priority: { type: "number", description: "Lower comes first; none comes last." },
    dependencies: {
      type: "array",
      items: word,
      description: "Ids of the tasks that have to be passing before this one is begun.",
    },
    acceptanceCriteria: {
      type: "array",
      items: { type: "string" },
      description: "What has to be true when it is done.",
    },
    notes: { type: "string", description: "What whoever works on it should know." },
    metadata: { type: "object", description: "Anything else." },
    claimedBy: { ...word, description: "Run and step that took it last. Written by the task loop." },
    attempts: {
      type: "integer",
      minimum: 0,
      description: "How often that run has begun it. Written by the task loop.",
    },
    error: { type: "string", description: "Why the last attempt failed. Written by the task loop." },
  },
};

export const tasksSchema: Schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "tasks.json",
  description: "Tasks that a task loop works through.",
  type: "object",
  required: ["version", "tasks"],
  properties: {
    version: { const: "1.0", description: "Of this format." },
    tasks: { type: "array", items: task },
    metadata: {
      type: "object",
      properties: {
        createdAt: { type: "string", description: "When the file was made, in ISO 8601." },
        updatedAt: { type: "string", description: "When it was last changed. Kept up to date if it is there." },
        source: { type: "string", description: "What it was made from." },
      },
    },
  },
};
