import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { findDuplicates } from "@atomic/durable-files/jsonc/part";
import { nodeAt, showPath } from "@atomic/durable-files/jsonc/path";
import { positionsOf, type TextPosition } from "@atomic/durable-files/jsonc/position";
import type { JsonDocument, JsonNode } from "@atomic/durable-files/jsonc/tree";
import { type JsonValue, toValue } from "@atomic/durable-files/jsonc/value";
import { checkSchema, type Schema } from "./check-schema.ts";
import { findProblems } from "./find-problems.ts";
import { tasksSchema } from "./schema.ts";
import type { Task, TasksFile } from "./task.ts";
import { type TaskProblem, TasksError } from "./tasks-error.ts";

/** The tasks in a text, in its order. What is wrong with it is a `TasksError` that has all of it. */
export function parseTasks(text: string, file: string): readonly Task[] {
  const { tasks, problems } = inspectTasks(text, file);
  if (problems.length > 0) throw new TasksError(problems);
  return tasks;
}

export interface InspectedTasks {
  /** None if the text has not the right shape. */
  readonly tasks: readonly Task[];
  readonly problems: readonly TaskProblem[];
}

/** The same for whoever wants to tell about the problems. */
export function inspectTasks(text: string, file: string): InspectedTasks {
  const { document, problems } = inspectJson(text, file, tasksSchema);
  if (document?.root === undefined) return { tasks: [], problems };
  const isWhole = !problems.some(({ code }) => code === "shape");
  const value = toValue(document.root);
  const { tasks } = isWhole ? (value as TasksFile) : { tasks: roughTasks(value) };
  const found = findProblems(tasks).filter(({ code }) => isWhole || code !== "unknown-dependency");
  const placed = found.map(({ path, ...problem }) => {
    const node = nodeAt(document, path) ?? document.root;
    return { ...problem, at: placeIn(document, file, node?.start ?? 0) };
  });
  return { tasks: isWhole ? tasks : [], problems: [...problems, ...placed] };
}

/** What can be told of tasks that have not the right shape: enough to find what else is wrong with them. */
function roughTasks(value: JsonValue): readonly Task[] {
  const { tasks } = (value ?? {}) as { readonly tasks?: unknown };
  return (Array.isArray(tasks) ? tasks : []).map((item: unknown, at): Task => {
    const { id, dependencies } = (item ?? {}) as { readonly id?: unknown; readonly dependencies?: unknown };
    const needs = (Array.isArray(dependencies) ? dependencies : []).filter((need) => typeof need === "string");
    return { id: typeof id === "string" ? id : `\0${at}`, name: "", status: "pending", dependencies: needs };
  });
}

/** A text as a tree, if it is one, and all that is wrong with it. */
export function inspectJson(
  text: string,
  file: string,
  schema: Schema,
): { readonly document?: JsonDocument; readonly problems: readonly TaskProblem[] } {
  let document: JsonDocument;
  try {
    document = parseJsonc(text, { file, empty: "refuse" });
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return { problems: [syntaxProblem(error, file)] };
  }
  const root = document.root as JsonNode;
  const misfits = checkSchema(schema, root).map(({ node, ...misfit }): TaskProblem => {
    return { code: "shape", ...misfit, at: placeIn(document, file, node.start) };
  });
  return { document, problems: [...misfits, ...duplicateKeys(document, file)] };
}

/** An edit would change one of the two, and another reader might read the other. */
function duplicateKeys(document: JsonDocument, file: string): TaskProblem[] {
  return findDuplicates(document).map(({ path, positions }) => {
    const hint = "Take one of them out.";
    const message = `${showPath(path)} stands there ${positions.length} times.`;
    return { code: "duplicate-key", message, at: place(file, positions.at(-1)), hint };
  });
}

/** The error's own message begins with its place, which every problem has anyway. */
function syntaxProblem({ at = "", message, hint }: DurableError, file: string): TaskProblem {
  const start = `${at}: `;
  const own = message.startsWith(start) ? message.slice(start.length) : message;
  return { code: "syntax", message: `${own.replace(/\.$/, "")}.`, at: at || file, ...(hint !== undefined && { hint }) };
}

function placeIn(document: JsonDocument, file: string, offset: number): string {
  return place(file, positionsOf(document.text)(offset));
}

function place(file: string, position: TextPosition | undefined): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}
