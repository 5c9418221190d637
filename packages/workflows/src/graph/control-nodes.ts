import type { Json } from "../run/json.ts";
import type { NodeOptions, ValueOrFunction } from "./action-nodes.ts";
import type { RepeatingJson, Strategy } from "./graph-json.ts";
import { present } from "./json-value.ts";
import { type Assembler, defineNode, type InnerNodes, type NodeDefinition, type Nodes } from "./node-definition.ts";
import type { BaseState, LoopTask, UpdateOf } from "./state.ts";

export type Condition<S> = (state: S) => boolean | Promise<boolean>;

export interface DecisionNodeConfig<S> extends NodeOptions {
  /** The first route whose condition holds is taken. */
  readonly routes: readonly Route<S>[];
  /** Taken if no condition holds. Default: nothing. */
  readonly otherwise?: InnerNodes<S> | undefined;
}

interface Route<S> {
  /** Default: its number. */
  readonly label?: string | undefined;
  readonly when: Condition<S>;
  readonly nodes: InnerNodes<S>;
}

/**
 * Takes one of several routes. The decision is made once and recorded.
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
  /** Makes one update of what the branches did. Default: the state's reducers, branch by branch in order. */
  readonly merge?: ((branches: readonly BranchResult[], state: S) => UpdateOf<S> | Promise<UpdateOf<S>>) | undefined;
}

/** What one branch did. */
export interface BranchResult {
  readonly label: string;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Its updates of the state, combined by the reducers. A key whose reducer is a function has a list of its updates. */
  readonly update: Readonly<Record<string, Json>>;
}

/**
 * Runs branches at the same time. Each branch sees the state from before, and its own updates.
 *
 * @example
 * parallelNode({ branches: { security: agentNode({ agent: "auditor" }), style: skillNode({ skill: "tidy" }) }, limit: 2 });
 */
export function parallelNode<S = BaseState>(config: ParallelNodeConfig<S>): NodeDefinition<S> {
  const { description, branches, strategy = "all", limit, merge } = config;
  // `Array.isArray` does not narrow read-only lists.
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
  /** Default 100. 0: no limit, which requires another bound. A function is called once, at the start, and returns 1 or more. */
  readonly maxIterations?: ValueOrFunction<S, number> | undefined;
  /** What to do when the loop stops before it is done. Default: `continue`; its output says why it stopped. */
  readonly onIncomplete?: "continue" | "fail" | undefined;
}

export interface LoopOptions<S> extends RepeatingOptions<S> {
  /** Checked after each iteration. */
  readonly until: Condition<S>;
  /** Checked after each iteration: no further iteration starts after this time. */
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
  /** Run for each task, which is in `state.currentTask`. */
  readonly taskNodes: InnerNodes<S>;
  /** Run before `taskNodes`, each time. */
  readonly preIterationNode?: InnerNodes<S> | undefined;
  /** How many tasks run at a time. Default 1. */
  readonly limit?: number | undefined;
  /** How often a task is tried before the loop gives it up. Default 1; required with `maxIterations: 0`. */
  readonly maxAttempts?: number | undefined;
  /**
   * What to do with a task that is set to passing while the loop's agents are working, although none of them was given it.
   * You may have done it, or an agent: the loop cannot know. `verify`: it is set back, to be worked on. `accept`: it counts,
   * and the loop's result says so. Default `verify`.
   */
  readonly markedMeanwhile?: "accept" | "verify" | undefined;
  /** Whether the work is done. Default: when every task is done. */
  readonly until?: ((state: S, tasks: readonly LoopTask[]) => boolean) | undefined;
  /** Selects the next of the tasks that are ready. Default: by priority. */
  readonly taskSelector?: ((tasks: readonly LoopTask[]) => LoopTask | undefined) | undefined;
}

/** Works through a tasks file: picks tasks that are ready, runs them, and marks how they ended. */
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
  /** Counts as a tag, or as a separate line, in the last message. Default: `COMPLETE`. */
  readonly completionSignal?: string | undefined;
  readonly maxDurationMs?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** Iterations in a row with the same outcome after which the loop gives up. Default 3; 0: never. */
  readonly noProgressLimit?: number | undefined;
}

/** Repeats nodes until the agent says that it is done, or until it seems that it never will. */
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
