// A process that works through a tasks file as run `r1` would, from wherever an earlier one was killed: `mark.ts <project>`.

import { taskLoopDecisions } from "../../../src/tasks/task-loop-decisions.ts";
import { info, loop } from "../tasks.ts";

const [folder = ""] = process.argv.slice(2);
const decisions = taskLoopDecisions({ folder });
const tasksPath = "research/tasks.json";

for (let iteration = 1; ; iteration++) {
  const pick = await decisions.pick(
    { loop: loop({ limit: 2 }), tasksPath, iteration, mayRun: true },
    info(`r1/L#${iteration}:pick`),
  );
  if (pick.do === "stop") {
    console.log(pick.reason);
    process.exit(pick.complete ? 0 : 1);
  }
  for (const task of pick.tasks) {
    await decisions.settle({ loop: loop(), tasksPath, task, outcome: { ok: true } }, info(`r1/L#${iteration}:settle`));
  }
}
