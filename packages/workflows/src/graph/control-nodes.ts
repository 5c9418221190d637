import type { Json } from "../run/json.ts";
import type { NodeOptions, ValueOrFunction } from "./action-nodes.ts";
import type { RepeatingJson, Strategy } from "./graph-json.ts";
import { present } from "./json-value.ts";
import { type Assembler, defineNode, type InnerNodes, type NodeDefinition, type Nodes } from "./node-definition.ts";
import type { BaseState, LoopTask, UpdateOf } from "./state.ts";

export type Condition<S> = (state: S) => boolean | Promise<boolean>;

export interface DecisionNodeConfig<S> extends NodeOptions {
  /** The first whose condition holds is taken. */
  readonly routes: readonly Route<S>[];
  /** Taken if none holds. Default: nothing. */
  readonly otherwise?: InnerNodes<S> | undefined;
}

interface Route<S> {
  /** Default: its number. */
  readonly label?: string | undefined;
  readonly when: Condition<S>;
  readonly nodes: InnerNodes<S>;
}

/**
 * Takes one of several ways. Which one is decided once and written down.
 *
 * @example
 * decisionNode({
 *   id: "verdict",
 *   routes: [{ label: "broken", when: (state) => state.failures > 0, nodes: agentNode({ agent: "debugger" }) }],
 *   otherwise: skillNode({ skill: "commit" }),
 * });
 */
export function decisionNode<S = BaseState>(config: DecisionNodeConfig<S>): NodeDefinition<S> {
  return defineNode(config.id, "decision", (id, assembly) => ({
    kind: "decision",
    id,
    ...present({ description: config.description }),
    routes: config.routes.map(({ label, when, nodes }, at) => ({
      label: label ?? String(at + 1),
      when: assembly.fn(id, `when.${at}`, when),
      nodes: assembly.nodes(nodes),
    })),
    otherwise: config.otherwise === undefined ? [] : assembly.nodes(config.otherwise),
  }));
}

export interface ParallelNodeConfig<S> extends NodeOptions {
  /** By label, or in a list. */
  readonly branches: readonly InnerNodes<S>[] | Readonly<Record<string, InnerNodes<S>>>;
  /** `all` must succeed (default); the first that ends (`race`) or succeeds (`any`) counts alone, the others are aborted. */
  readonly strategy?: Strategy | undefined;
  /** How many run at a time. Default: all. */
  readonly limit?: number | undefined;
  /** Makes one update of what the branches did. Default: the reducers of the state, branch by branch in their order. */
  readonly merge?: ((branches: readonly BranchResult[], state: S) => UpdateOf<S> | Promise<UpdateOf<S>>) | undefined;
}

/** What one branch did. */
export interface BranchResult {
  readonly label: string;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Of the state, taken together by their reducers; those of a key whose reducer is a function come in a list. */
  readonly update: Readonly<Record<string, Json>>;
}

/**
 * Runs branches at the same time. Each sees the state as it was before, and its own updates.
 *
 * @example
 * parallelNode({ branches: { security: agentNode({ agent: "auditor" }), style: skillNode({ skill: "tidy" }) }, limit: 2 });
 */
export function parallelNode<S = BaseState>(config: ParallelNodeConfig<S>): NodeDefinition<S> {
  const { description, branches, strategy = "all", limit, merge } = config;
  // `Array.isArray` does not tell read-only lists from objects.
  const list: (readonly [label: string, nodes: InnerNodes<S>])[] = Array.isArray(branches)
    ? branches.map((nodes: InnerNodes<S>, at) => [String(at + 1), nodes])
    : Object.entries(branches as Readonly<Record<string, InnerNodes<S>>>);
  return defineNode(config.id, "parallel", (id, assembly) => ({
    kind: "parallel",
    id,
    ...present({ description }),
    strategy,
    ...present({ limit }),
    branches: list.map(([label, nodes]) => ({ label, nodes: assembly.nodes(nodes) })),
    ...present({ merge: merge && assembly.fn(id, "merge", merge) }),
  }));
}

interface RepeatingOptions<S> extends NodeOptions {
  /** Default 100. 0: no limit, which takes another one. What a function says, at the beginning, is at least 1. */
  readonly maxIterations?: ValueOrFunction<S, number> | undefined;
  /** Whether a loop that stops for another reason than being done fails. Default: `continue`; its output says why. */
  readonly onIncomplete?: "continue" | "fail" | undefined;
}

export interface LoopOptions<S> extends RepeatingOptions<S> {
  /** Asked after each iteration. */
  readonly until: Condition<S>;
  /** Asked after each iteration: no further one begins after this time. */
  readonly maxDurationMs?: number | undefined;
}

/** Repeats nodes until a condition holds. The output is `{ iterations, stopped }`. */
export function loopNode<S = BaseState>(body: InnerNodes<S>, options: LoopOptions<S>): NodeDefinition<S> {
  const { until, maxDurationMs } = options;
  return defineNode(options.id, "loop", (id, assembly) => ({
    kind: "loop",
    ...repeating(id, body, options, assembly),
    until: assembly.fn(id, "until", until),
    ...present({ maxDurationMs }),
  }));
}

function repeating<S>(
  id: string,
  body: Nodes<never>,
  { description, maxIterations = 100, onIncomplete = "continue" }: RepeatingOptions<S>,
  assembly: Assembler,
): RepeatingJson {
  return {
    id,
    ...present({ description }),
    nodes: assembly.nodes(body),
    maxIterations: typeof maxIterations === "number" ? maxIterations : assembly.fn(id, "maxIterations", maxIterations),
    onIncomplete,
  };
}

export interface TaskLoopNodeConfig<S> extends RepeatingOptions<S> {
  /** Default: `research/tasks.json`. */
  readonly tasksPath?: ValueOrFunction<S, string> | undefined;
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
  return defineNode(config.id, "task-loop", (id, assembly) => {
    const before = preIterationNode === undefined ? [] : assembly.nodes(preIterationNode);
    const loop = repeating(id, taskNodes, config, assembly);
    return {
      kind: "task-loop",
      ...loop,
      nodes: [...before, ...loop.nodes],
      tasksPath: assembly.value<string>(id, "tasksPath", tasksPath),
      limit,
      ...present({
        maxAttempts,
        markedMeanwhile,
        until: until && assembly.fn(id, "until", until),
        select: taskSelector && assembly.fn(id, "select", taskSelector),
      }),
    };
  });
}

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
  return defineNode(config.id, "criteria-loop", (id, assembly) => ({
    kind: "criteria-loop",
    ...repeating(id, taskNodes, config, assembly),
    signal: completionSignal,
    noProgressLimit,
    ...present({ maxDurationMs, maxCostUsd }),
  }));
}

/** Runs `handler` when one of `nodes` fails, then continues. */
export function tryNode<S>(nodes: Nodes<S>, handler: Nodes<S>): NodeDefinition<S> {
  return defineNode(undefined, "try", (id, assembly) => ({
    kind: "try",
    id,
    nodes: assembly.nodes(nodes),
    handler: assembly.nodes(handler),
  }));
}
