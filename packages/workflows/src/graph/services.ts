import type { CriteriaLoopDecisions, TaskLoopDecisions } from "./loop-decisions.ts";
import type { NodeHost } from "./node-host.ts";

/** What a graph needs besides itself. Loops that it does not have need nothing. */
export interface Services {
  readonly host: NodeHost;
  readonly taskLoop?: TaskLoopDecisions;
  readonly criteriaLoop?: CriteriaLoopDecisions;
}
