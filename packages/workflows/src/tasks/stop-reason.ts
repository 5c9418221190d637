import { count } from "@atomic/terminal/count";
import type { Task } from "./task.ts";
import type { TaskState } from "./task-state.ts";

/** How many ids a sentence can bear. */
const mostNamed = 8;
/** In characters, of an error within a sentence. */
const longestError = 120;

/**
 * Why nothing can be begun, for people.
 * @example
 * "2 tasks failing: lint (3 errors), test; 1 blocked by them: ship"
 */
export function stopReason(tasks: readonly Task[], states: readonly TaskState[]): string {
  if (tasks.length === 0) return "there are no tasks in the file";
  const of = <K extends TaskState["kind"]>(kind: K): Stated<K>[] =>
    tasks.flatMap((task, at) => (states[at]?.kind === kind ? [{ id: task.id, state: states[at] }] : [])) as Stated<K>[];
  const open = [...failing(of("given-up")), ...elsewhere(of("elsewhere")), ...blocked(of("blocked"), of("skipped"))];
  const waiting = of("waiting");
  if (waiting.length > 0) open.push(`${waiting.length} waiting for others: ${listed(waiting.map(({ id }) => id))}`);
  if (open.length > 0) return open.join("; ");
  const [passing, skipped] = [of("passing").length, of("skipped").length];
  if (passing === 0) return `${count(skipped, "task")} skipped, none left to do`;
  return `${count(passing, "task")} passing${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

type Stated<K> = { readonly id: string; readonly state: Extract<TaskState, { kind: K }> };

function failing(given: readonly Stated<"given-up">[]): string[] {
  if (given.length === 0) return [];
  const named = given.map(({ id, state }) => (state.error === undefined ? id : `${id} (${firstLine(state.error)})`));
  return [`${count(given.length, "task")} failing: ${listed(named)}`];
}

function elsewhere(others: readonly Stated<"elsewhere">[]): string[] {
  const runs = [...new Set(others.map(({ state }) => state.run))];
  return runs.map((run) => {
    const ids = others.filter(({ state }) => state.run === run).map(({ id }) => id);
    return `${count(ids.length, "task")} in progress in the run ${run}: ${listed(ids)}`;
  });
}

function blocked(held: readonly Stated<"blocked">[], skipped: readonly { readonly id: string }[]): string[] {
  const leftOut = new Set(skipped.map(({ id }) => id));
  const bySkipped = held.filter(({ state }) => state.by.every((id) => leftOut.has(id)));
  const byFailing = held.filter((each) => !bySkipped.includes(each));
  return [
    ...(byFailing.length === 0 ? [] : [`${byFailing.length} blocked by them: ${idsOf(byFailing)}`]),
    ...(bySkipped.length === 0
      ? []
      : [`${count(bySkipped.length, "task")} blocked by skipped ones: ${idsOf(bySkipped)}`]),
  ];
}

function idsOf(held: readonly { readonly id: string }[]): string {
  return listed(held.map(({ id }) => id));
}

export function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(", ")} and ${more} more` : names.join(", ");
}

function firstLine(text: string): string {
  const characters = [...(text.trim().split(/[\r\n]/, 1)[0] ?? "")];
  return characters.length > longestError ? `${characters.slice(0, longestError).join("")}…` : characters.join("");
}
