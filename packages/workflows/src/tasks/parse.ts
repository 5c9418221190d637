import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { findDuplicates } from "@atomic/durable-files/jsonc/part";
import { type JsonPath, nodeAt, showPath } from "@atomic/durable-files/jsonc/path";
import { positionsOf, type TextPosition } from "@atomic/durable-files/jsonc/position";
import type { JsonDocument, JsonNode } from "@atomic/durable-files/jsonc/tree";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { didYouMean } from "@atomic/terminal/suggest";
import { checkSchema, type Schema } from "./check-schema.ts";
import { type Task, type TasksFile, tasksSchema } from "./task.ts";
import { dependencyPositions, taskOrder } from "./task-order.ts";
import { type TaskProblem, TasksError } from "./tasks-error.ts";

/** The tasks in a text, in its order. Throws a `TasksError` with all problems. */
export function parseTasks(text: string, file: string): readonly Task[] {
  const { tasks, problems } = inspectTasks(text, file);
  if (problems.length > 0) throw new TasksError(problems);
  return tasks;
}

export interface InspectedTasks {
  /** Empty if the text does not have the right shape. */
  readonly tasks: readonly Task[];
  readonly problems: readonly TaskProblem[];
}

/** The same, for callers that report the problems themselves. */
export function inspectTasks(text: string, file: string): InspectedTasks {
  const { document, problems } = inspectJson(text, file, tasksSchema);
  if (document?.root === undefined) return { tasks: [], problems };
  const isWhole = !problems.some(({ code }) => code === "shape");
  let { tasks } = (toValue(document.root) ?? {}) as Partial<TasksFile>;
  if (!isWhole) {
    // From tasks without the right shape, as much as it takes to find their other problems.
    tasks = (Array.isArray(tasks) ? tasks : []).map((item: unknown, at): Task => {
      const { id, dependencies } = (item ?? {}) as { readonly id?: unknown; readonly dependencies?: unknown };
      const needs = (Array.isArray(dependencies) ? dependencies : []).filter((need) => typeof need === "string");
      return { id: typeof id === "string" ? id : `\0${at}`, name: "", status: "pending", dependencies: needs };
    });
  }
  const found = findProblems(tasks ?? []).filter(({ code }) => isWhole || code !== "unknown-dependency");
  const positionOf = positionsOf(document.text);
  const placed = found.map(({ path, ...problem }) => {
    const node = nodeAt(document, path) ?? document.root;
    return { ...problem, at: place(file, positionOf(node?.start ?? 0)) };
  });
  return { tasks: isWhole ? (tasks ?? []) : [], problems: [...problems, ...placed] };
}

/** A text as a tree, if it can be parsed, and all problems with it. */
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
    // The error's message begins with its place, which every problem has anyway.
    const { at = "", message, hint } = error;
    const own = message.startsWith(`${at}: `) ? message.slice(`${at}: `.length) : message;
    const problem = { code: "syntax", message: `${own.replace(/\.$/, "")}.`, at: at || file } as const;
    return { problems: [{ ...problem, ...(hint !== undefined && { hint }) }] };
  }
  const positionOf = positionsOf(document.text);
  const misfits = checkSchema(schema, document.root as JsonNode).map(({ node, ...misfit }): TaskProblem => {
    return { code: "shape", ...misfit, at: place(file, positionOf(node.start)) };
  });
  // An edit would change one of the two, and another reader might read the other.
  const duplicates = findDuplicates(document).map(({ path, positions }): TaskProblem => {
    const message = `${showPath(path)} appears ${positions.length} times.`;
    return { code: "duplicate-key", message, at: place(file, positions.at(-1)), hint: "Remove one of them." };
  });
  return { document, problems: [...misfits, ...duplicates] };
}

function place(file: string, position: TextPosition | undefined): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

type FoundProblem = Omit<TaskProblem, "at"> & { readonly path: JsonPath };

/** Problems with tasks whose file has the right shape. All are reported before anything runs. */
export function findProblems(tasks: readonly Task[]): FoundProblem[] {
  const first = new Map<string, number>();
  const found: FoundProblem[] = [];
  for (const [at, { id }] of tasks.entries()) {
    const other = first.get(id);
    if (other === undefined) first.set(id, at);
    else {
      const message = `tasks[${at}] and tasks[${other}] have the same id "${id}".`;
      found.push({ code: "duplicate-id", path: ["tasks", at, "id"], message, hint: "Give one of them another id." });
    }
  }
  for (const [at, { id, dependencies = [] }] of tasks.entries()) {
    for (const [nth, dependency] of dependencies.entries()) {
      if (first.has(dependency)) continue;
      const [best] = didYouMean(dependency, first.keys());
      const hint = best === undefined ? "Add it, or remove it from the dependencies." : `Did you mean "${best}"?`;
      const message = `"${id}" depends on "${dependency}", which is not a task.`;
      found.push({ code: "unknown-dependency", path: ["tasks", at, "dependencies", nth], message, hint });
    }
  }
  return [...found, ...cycles(tasks)];
}

/** Every task that waits for itself is in one of the cycles, or waits for one. */
function cycles(tasks: readonly Task[]): FoundProblem[] {
  const needs = dependencyPositions(tasks);
  const found: FoundProblem[] = [];
  let left = new Set(taskOrder(tasks).rest);
  while (left.size > 0) {
    // Everything in `left` needs something else in it, so following the needs comes back to a task sooner or later.
    const walked = new Map<number, number>();
    let [at = 0] = left;
    while (!walked.has(at)) {
      walked.set(at, walked.size);
      at = needs[at]?.find((each) => left.has(each)) ?? at;
    }
    const path = [...walked.keys()].slice(walked.get(at));
    const lowest = path.indexOf(path.reduce((least, each) => Math.min(least, each)));
    const cycle = [...path.slice(lowest), ...path.slice(0, lowest)];

    const [first = 0] = cycle;
    const names = [...cycle, first].map((each) => `"${tasks[each]?.id}"`);
    const message =
      cycle.length === 1
        ? `${names[0]} depends on itself.`
        : `These tasks depend on each other: ${names.join(" needs ")}.`;
    const hint = "Remove one of these dependencies.";
    found.push({ code: "cycle", path: ["tasks", first, "dependencies"], message, hint });

    for (const each of cycle) left.delete(each);
    // Keeps the tasks that still need one of the others.
    for (let size = -1; size !== left.size; ) {
      size = left.size;
      const kept = left;
      left = new Set([...kept].filter((each) => needs[each]?.some((need) => kept.has(need))));
    }
  }
  return found;
}
