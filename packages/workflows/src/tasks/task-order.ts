import type { Task } from "./task.ts";

/** Positions of tasks, each after the tasks it depends on. `rest` cannot be ordered, because it contains cycles. */
export interface TaskOrder {
  readonly order: readonly number[];
  readonly rest: ReadonlySet<number>;
}

/** Ignores unknown dependencies; of several tasks with the same id, the first one counts. */
export function taskOrder(tasks: readonly Task[]): TaskOrder {
  const needs = dependencyPositions(tasks);
  const neededBy = tasks.map((): number[] => []);
  for (const [at, positions] of needs.entries()) for (const each of positions) neededBy[each]?.push(at);
  const open = needs.map((positions) => positions.length);
  const order = [...open.keys()].filter((at) => open[at] === 0);
  for (const at of order) {
    for (const dependent of neededBy[at] ?? []) {
      const left = (open[dependent] ?? 0) - 1;
      open[dependent] = left;
      if (left === 0) order.push(dependent);
    }
  }
  return { order, rest: new Set([...open.keys()].filter((at) => (open[at] ?? 0) > 0)) };
}

/** For each task, the positions of the tasks it depends on, each once. */
export function dependencyPositions(tasks: readonly Task[]): readonly (readonly number[])[] {
  const byId = new Map<string, number>();
  for (const [at, { id }] of tasks.entries()) if (!byId.has(id)) byId.set(id, at);
  return tasks.map(({ dependencies = [] }) => [...new Set(dependencies)].flatMap((id) => byId.get(id) ?? []));
}
