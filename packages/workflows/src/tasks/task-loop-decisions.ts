import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import type { TaskLoopDecisions } from "../graph/loop-decisions.ts";
import { claimingRuns } from "./claim.ts";
import { pickFrom, settleIn } from "./pick.ts";
import type { Seen } from "./seen.ts";
import { type TaskStore, taskStore } from "./store.ts";
import type { Task } from "./task.ts";
import type { Situation } from "./task-state.ts";

export interface TaskLoopDecisionsOptions {
  /** Of the project: paths of tasks files count from here. */
  readonly folder: string;
  /** Whether somebody works on a run, so that its tasks are left to it. Default: somebody does. See `liveRuns`. */
  readonly isLive?: (runId: string) => Promise<boolean> | boolean;
  /** Keeps the lock of tasks files. Default: `.atomic/tasks` in the project. */
  readonly stateFolder?: string;
  /** How long others are waited for. Default 30,000. */
  readonly deadlineMs?: number;
  /** How often to look whether other runs are done, if nothing else is left. Default 1,000. */
  readonly waitMs?: number;
  readonly now?: () => Date;
}

/**
 * Task loops on a `tasks.json`: what is picked is marked there first, with the pick's key, so that a pick that comes again
 * after a crash gives the same tasks, and nobody else is given them meanwhile.
 * @example
 * const services = { host, taskLoop: taskLoopDecisions({ folder: ".", isLive: liveRuns(() => engine) }) };
 */
export function taskLoopDecisions(options: TaskLoopDecisionsOptions): TaskLoopDecisions {
  const { folder, stateFolder, deadlineMs, now, isLive = () => true, waitMs = 1_000 } = options;
  const storeOf = (path: string): TaskStore => taskStore({ folder, path, stateFolder, deadlineMs, now });
  /** Whether somebody still works is worth waiting for only where it can be known. */
  const mayWait = options.isLive !== undefined;
  return {
    pick: async (request, info) => {
      const store = storeOf(request.tasksPath);
      const tell = (text: string): void => info.note(oneLine(`${store.file}: ${text}`));
      for (let waits = 0; ; waits += 1) {
        const { pick, notes, mayChange } = await store.change(async (tasks, seen) => {
          const known = await liveness(tasks, seen, isLive);
          return pickFrom(tasks, seen, request, { by: info.idemKey, isLive: known });
        }, info.signal);
        for (const note of notes) tell(note);
        if (pick.do === "run" || !mayChange || !mayWait || !request.mayRun) return pick;
        if (waits === 0) tell(`${pick.reason}. There is nothing else to do; waiting for that.`);
        await pause(waitMs, info.signal);
      }
    },
    settle: async ({ tasksPath, task, outcome }, info) => {
      const store = storeOf(tasksPath);
      const settled = await store.change((tasks, seen) => settleIn(tasks, seen, task, outcome), info.signal);
      if (settled.did === "kept") info.note(oneLine(`${store.file}: ${settled.because}; it stays as it is.`));
    },
  };
}

/** Ends early if the signal does; whoever goes on finds out. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });
}

/** Asked beforehand about every run that has a claim, for what follows cannot wait for an answer. */
async function liveness(
  tasks: readonly Task[],
  seen: Seen | undefined,
  isLive: (runId: string) => Promise<boolean> | boolean,
): Promise<Situation["isLive"]> {
  const known = new Map<string, boolean>();
  for (const run of claimingRuns([...tasks, ...(seen?.values() ?? [])])) known.set(run, await isLive(run));
  return (run) => known.get(run) === true;
}

function oneLine(text: string): string {
  return escapeForTerminal(text, { singleLine: true });
}
