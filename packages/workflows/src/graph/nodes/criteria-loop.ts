import { type BaseState, defineNode, type InnerNodes, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { type RepeatingOptions, repeating } from "./loop.ts";

export interface CriteriaLoopNodeConfig<S> extends RepeatingOptions<S> {
  readonly taskNodes: InnerNodes<S>;
  /** Counts as a tag or a line of its own in the last message. Default: `COMPLETE`. */
  readonly completionSignal?: string | undefined;
  readonly maxDurationMs?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** Iterations in a row with the same outcome after which the loop gives up. Default 3; 0: never. */
  readonly noProgressLimit?: number | undefined;
}

/** Repeats nodes until the agent says that it is done, or until there is reason to believe that it never will. */
export function criteriaLoopNode<S = BaseState>(config: CriteriaLoopNodeConfig<S>): NodeDefinition<S> {
  const { taskNodes, completionSignal = "COMPLETE", maxDurationMs, maxCostUsd, noProgressLimit = 3 } = config;
  return defineNode(config.id, "criteria-loop", (id, assembler) => ({
    kind: "criteria-loop",
    ...repeating(id, taskNodes, config, assembler),
    signal: completionSignal,
    noProgressLimit,
    ...present({ maxDurationMs, maxCostUsd }),
  }));
}
