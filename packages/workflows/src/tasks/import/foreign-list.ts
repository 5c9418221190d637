import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import type { Schema } from "../check-schema.ts";
import type { Task, TasksFile } from "../task.ts";

/** Another program's list of what is to do, and what becomes of it here. */
export interface ForeignList {
  readonly name: string;
  /** Whether a value looks like it, however broken it may be. */
  matches(value: JsonValue): boolean;
  readonly schema: Schema;
  /** Of a value that fits the schema. */
  convert(value: JsonValue): Imported;
}

export interface Imported {
  readonly tasks: readonly Task[];
  /** What the list says about itself. */
  readonly metadata: NonNullable<Task["metadata"]>;
}

/** The file that an import makes where there is none. */
export function tasksFileOf({ tasks, metadata }: Imported, source: string, now: Date): TasksFile {
  const at = now.toISOString();
  return { version: "1.0", tasks, metadata: { createdAt: at, updatedAt: at, source, ...metadata } };
}

export function isPlainObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
