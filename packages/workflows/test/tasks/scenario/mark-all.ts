import { taskLoopDecisions } from "../../../src/tasks/task-loop-decisions.ts";
import { info, loop } from "../tasks.ts";

/** Works through a project's tasks file as run `r1` would, from wherever an earlier process was killed. Returns how it stopped. */
export async function markAll(folder: string): Promise<{ readonly reason: string; readonly complete: boolean }> {
  const decisions = taskLoopDecisions({ folder });
  const tasksPath = "research/tasks.json";
  for (let iteration = 1; ; iteration++) {
    const pick = await decisions.pick(
      { loop: loop({ limit: 2 }), tasksPath, iteration, mayRun: true },
      info(`r1/L#${iteration}:pick`),
    );
    if (pick.do === "stop") return pick;
    for (const task of pick.tasks) {
      await decisions.settle(
        { loop: loop(), tasksPath, task, outcome: { ok: true } },
        info(`r1/L#${iteration}:settle`),
      );
    }
  }
}
