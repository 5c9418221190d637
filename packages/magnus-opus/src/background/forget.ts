// What need not be kept in memory: tasks that have ended and whose parents know it. The journal still has them.
import { answerMs, type BackgroundLimits, type BackgroundState, type BackgroundTask } from "./task.ts";

/** What is about an ended task, such as a prompt that an abort has overtaken, has been heard by then. */
const settledMs = 6 * answerMs;

/** Without the oldest settled tasks that are too many, those of deleted sessions, and parents that have none left. */
export function forget(state: BackgroundState, { kept }: BackgroundLimits): BackgroundState {
  const { at } = state;
  const settled = [...state.tasks.values()]
    .filter((task) => isSettled(task, at))
    .toSorted((a, b) => endOf(a) - endOf(b));
  const isGone = ({ parent }: BackgroundTask): boolean => state.parents.get(parent)?.isGone === true;
  const tasks = new Map(state.tasks);
  for (;;) {
    const rest = settled.filter(({ id }) => tasks.has(id));
    // A task stays as long as one that it has launched.
    const leaves = rest.filter(({ id }) => ![...tasks.values()].some(({ parent }) => parent === id));
    const next = leaves.find((task) => rest.length > kept || isGone(task));
    if (next === undefined) break;
    tasks.delete(next.id);
  }
  const launching = new Set([...tasks.values()].map(({ parent }) => parent));
  const parents = [...state.parents].filter(
    ([session, { heardAt }]) => launching.has(session) || tasks.has(session) || at - heardAt < settledMs,
  );
  if (tasks.size === state.tasks.size && parents.length === state.parents.size) return state;
  return { ...state, tasks, parents: new Map(parents) };
}

function isSettled({ stage, notice }: BackgroundTask, at: number): boolean {
  return stage.kind === "over" && !stage.mustAbort && notice.kind === "given" && at - stage.at >= settledMs;
}

function endOf({ stage }: BackgroundTask): number {
  return stage.kind === "over" ? stage.at : 0;
}
