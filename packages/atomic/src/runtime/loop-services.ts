import type { Services } from "@atomic/workflows/graph/services";
import type { LocalEngine } from "@atomic/workflows/run/engine";
import { criteriaLoopDecisions } from "@atomic/workflows/tasks/criteria-loop-decisions";
import { liveRuns } from "@atomic/workflows/tasks/live-runs";
import { taskLoopDecisions } from "@atomic/workflows/tasks/task-loop-decisions";

/** Who decides about the turns of loops. */
export function loopServices(folder: string, engine: () => LocalEngine): Required<Omit<Services, "host">> {
  return {
    taskLoop: taskLoopDecisions({ folder, isLive: liveRuns(engine) }),
    criteriaLoop: criteriaLoopDecisions({ folder }),
  };
}
