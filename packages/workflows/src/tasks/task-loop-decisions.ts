import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import type { TaskLoopDecisions } from "../graph/services.ts";
import type { StepInfo } from "../run/run-ctx.ts";
import { claimingRuns } from "./claim.ts";
import { pickFrom, settleIn } from "./pick.ts";
import { taskStore } from "./store.ts";

export interface TaskLoopDecisionsOptions {
  /** The project's folder, which paths of tasks files are relative to. */
  readonly folder: string;
  /** Whether a process is working on a run, so its tasks are left alone. Default: yes. See `liveRuns`. */
  readonly isLive?: (runId: string) => Promise<boolean> | boolean;
  /** Holds the lock for tasks files. Default: `.atomic/tasks` in the project. */
  readonly stateFolder?: string;
  /** How long to wait for the lock. Default 30,000. */
  readonly deadlineMs?: number;
  /** How often to check whether other runs are done, when nothing else is left to do. Default 1,000. */
  readonly waitMs?: number;
  readonly now?: () => Date;
}

/**
 * Runs task loops on a `tasks.json`. Picked tasks are first marked there with the pick's key, so the same pick after a crash
 * returns the same tasks, and no other pick returns them in the meantime.
 * @example
 * const services = { host, taskLoop: taskLoopDecisions({ folder: ".", isLive: liveRuns(() => engine) }) };
 */
export function taskLoopDecisions(options: TaskLoopDecisionsOptions): TaskLoopDecisions {
  const { folder, stateFolder, deadlineMs, now, isLive = () => true, waitMs = 1_000 } = options;
  const open = (path: string, info: StepInfo) => {
    const store = taskStore({ folder, path, stateFolder, deadlineMs, now });
    return {
      store,
      note: (text: string): void => info.note(escapeForTerminal(`${store.file}: ${text}`, { singleLine: true })),
    };
  };
  return {
    pick: async (request, info) => {
      const { store, note } = open(request.tasksPath, info);
      for (let waits = 0; ; waits += 1) {
        const { pick, notes, mayChange } = await store.change(async (tasks, seen) => {
          // Checked beforehand for every run with a claim, because what follows is synchronous.
          const live = new Set<string>();
          for (const run of claimingRuns([...tasks, ...(seen?.values() ?? [])])) if (await isLive(run)) live.add(run);
          return pickFrom(tasks, seen, request, { by: info.idemKey, isLive: (run) => live.has(run) });
        }, info.signal);
        for (const each of notes) note(each);
        // Waiting for other runs only makes sense if we can know whether they are still working.
        if (pick.do === "run" || !mayChange || options.isLive === undefined || !request.mayRun) return pick;
        if (waits === 0) note(`${pick.reason}. Nothing else is left to do, so the loop is waiting for it.`);
        // Ends early when the signal aborts, which the next change notices.
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          info.signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
        });
      }
    },
    settle: async ({ tasksPath, task, outcome }, info) => {
      const { store, note } = open(tasksPath, info);
      const settled = await store.change((tasks, seen) => settleIn(tasks, seen, task, outcome), info.signal);
      if (settled.did === "kept") note(`${settled.because}; it was left unchanged.`);
    },
  };
}
