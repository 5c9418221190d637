import { type BaseState, defineNode, type InnerNodes, type LoopTask, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { type RepeatingOptions, repeating } from "./loop.ts";
import type { Made } from "./options.ts";

export interface TaskLoopNodeConfig<S> extends RepeatingOptions<S> {
  /** Default: `research/tasks.json`. */
  readonly tasksPath?: Made<S, string> | undefined;
  /** Run for each task, which they find in `state.currentTask`. */
  readonly taskNodes: InnerNodes<S>;
  /** Run before those, each time. */
  readonly preIterationNode?: InnerNodes<S> | undefined;
  /** How many tasks are worked on at a time. Default 1. */
  readonly limit?: number | undefined;
  /** How often a task is tried before it counts as failing for good. Default 1; with `maxIterations: 0` it has to be said. */
  readonly maxAttempts?: number | undefined;
  /**
   * What becomes of a task that is set to passing while agents of the loop are at work, and that none of them was given. A
   * person may have done it, or an agent. `accept`: it counts, and the result of the loop says so. `verify`: it is set back,
   * to be worked on. Default `accept`.
   */
  readonly markedMeanwhile?: "accept" | "verify" | undefined;
  /** Whether the work is done. Default: when every task is. */
  readonly until?: ((state: S, tasks: readonly LoopTask[]) => boolean) | undefined;
  /** Which of the tasks that are ready comes next. Default: by priority. */
  readonly taskSelector?: ((tasks: readonly LoopTask[]) => LoopTask | undefined) | undefined;
}

/** Works through a tasks file: what is ready is picked, run, and marked by how it ended. */
export function taskLoopNode<S = BaseState>(config: TaskLoopNodeConfig<S>): NodeDefinition<S> {
  const { tasksPath = "research/tasks.json", taskNodes, preIterationNode, limit = 1 } = config;
  const { maxAttempts, markedMeanwhile, until, taskSelector } = config;
  return defineNode(config.id, "task-loop", (id, assembler) => {
    const before = preIterationNode === undefined ? [] : assembler.nodes(preIterationNode);
    const loop = repeating(id, taskNodes, config, assembler);
    return {
      kind: "task-loop",
      ...loop,
      nodes: [...before, ...loop.nodes],
      tasksPath: assembler.given<string>(id, "tasksPath", tasksPath),
      limit,
      ...present({
        maxAttempts,
        markedMeanwhile,
        until: until && assembler.fn(id, "until", until),
        select: taskSelector && assembler.fn(id, "select", taskSelector),
      }),
    };
  });
}
