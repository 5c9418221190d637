// What can be wrong with tasks whose file has the right shape: all of it is told before anything runs.
import type { JsonPath } from "@atomic/durable-files/jsonc/path";
import { didYouMean } from "@atomic/terminal/suggest";
import type { Task } from "./task.ts";
import { dependencyPositions, taskOrder } from "./task-order.ts";
import type { TaskProblem } from "./tasks-error.ts";

export type FoundProblem = Omit<TaskProblem, "at"> & { readonly path: JsonPath };

export function findProblems(tasks: readonly Task[]): FoundProblem[] {
  return [...duplicateIds(tasks), ...unknownDependencies(tasks), ...cycles(tasks)];
}

function* duplicateIds(tasks: readonly Task[]): Iterable<FoundProblem> {
  const seen = new Map<string, number>();
  for (const [at, { id }] of tasks.entries()) {
    const first = seen.get(id);
    if (first === undefined) seen.set(id, at);
    else {
      const message = `tasks[${at}] and tasks[${first}] have the same id "${id}".`;
      yield { code: "duplicate-id", path: ["tasks", at, "id"], message, hint: "Give one of them another id." };
    }
  }
}

function* unknownDependencies(tasks: readonly Task[]): Iterable<FoundProblem> {
  const ids = new Set(tasks.map(({ id }) => id));
  for (const [at, { id, dependencies = [] }] of tasks.entries()) {
    for (const [nth, dependency] of dependencies.entries()) {
      if (ids.has(dependency)) continue;
      const [best] = didYouMean(dependency, ids);
      const hint = best === undefined ? "Add it, or take it out of the dependencies." : `Did you mean "${best}"?`;
      const message = `"${id}" depends on "${dependency}", which is not a task.`;
      yield { code: "unknown-dependency", path: ["tasks", at, "dependencies", nth], message, hint };
    }
  }
}

/** Every task that waits for itself is in one of the cycles, or waits for one. */
function* cycles(tasks: readonly Task[]): Iterable<FoundProblem> {
  const needs = dependencyPositions(tasks);
  let left = new Set(taskOrder(tasks).rest);
  while (left.size > 0) {
    const cycle = oneCycle(needs, left);
    const [first = 0] = cycle;
    const names = [...cycle, first].map((at) => `"${tasks[at]?.id}"`);
    const message =
      cycle.length === 1
        ? `${names[0]} depends on itself.`
        : `These tasks wait for each other: ${names.join(" needs ")}.`;
    const hint = "Take out one of these dependencies.";
    yield { code: "cycle", path: ["tasks", first, "dependencies"], message, hint };
    for (const at of cycle) left.delete(at);
    left = withoutFree(needs, left);
  }
}

/** Everything in `left` needs something else in it, so that following the needs comes back sooner or later. */
function oneCycle(needs: readonly (readonly number[])[], left: ReadonlySet<number>): number[] {
  const walked = new Map<number, number>();
  let [at = 0] = left;
  while (!walked.has(at)) {
    walked.set(at, walked.size);
    at = needs[at]?.find((each) => left.has(each)) ?? at;
  }
  const path = [...walked.keys()].slice(walked.get(at));
  const lowest = path.indexOf(path.reduce((least, each) => Math.min(least, each)));
  return [...path.slice(lowest), ...path.slice(0, lowest)];
}

/** Those that still need one of the others. */
function withoutFree(needs: readonly (readonly number[])[], left: ReadonlySet<number>): Set<number> {
  let kept = new Set(left);
  for (;;) {
    const next = new Set([...kept].filter((at) => needs[at]?.some((each) => kept.has(each))));
    if (next.size === kept.size) return next;
    kept = next;
  }
}
