import type { Json } from "../run/json.ts";
import type { NodeOptions, ValueOrFunction } from "./action-nodes.ts";
import type { RepeatingJson, Strategy } from "./graph-json.ts";
import { present } from "./json-value.ts";
import {
  type AllOf,
  type AnyNodes,
  type Assembler,
  defineNode,
  type InnerNodes,
  type NodeDefinition,
  type Nodes,
  type NodesOrList,
  requireOption,
  type SaidByAll,
} from "./node-definition.ts";
import type {
  AnyOutputs,
  BaseState,
  LoopTask,
  NoOutputs,
  Perhaps,
  SaidAs,
  SaidByAny,
  StateAfter,
  UpdateOf,
} from "./state.ts";

export type Condition<S> = (state: S) => boolean | Promise<boolean>;

export interface DecisionNodeConfig<S, Id extends string, Routes, Otherwise> extends NodeOptions<Id> {
  /** The first route whose condition holds is taken. */
  readonly routes: { readonly [At in keyof Routes]: Route<S, Routes[At]> };
  /** Taken if no condition holds. Default: nothing. */
  readonly otherwise?: InnerNodes<S, Otherwise> | undefined;
}

interface Route<S, Said> {
  /** Default: its number. */
  readonly label?: string | undefined;
  readonly when: Condition<S>;
  readonly nodes: InnerNodes<S, Said>;
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
export function decisionNode<
  S = BaseState,
  const Id extends string = never,
  Routes extends readonly unknown[] = readonly SaidByAny[],
  Otherwise = NoOutputs,
>(
  config: DecisionNodeConfig<S, Id, Routes, Otherwise>,
): NodeDefinition<S, SaidAs<Id, string> & Perhaps<AllOf<Routes[number]> & Otherwise>, Json> {
  requireOption("decisionNode", config, "routes", "Pass a list of routes: { when: (state) => …, nodes }.");
  const routes = config.routes as unknown as readonly Route<S, unknown>[];
  return defineNode(config.id, "decision", (id, assembly) => ({
    kind: "decision",
    id,
    ...present({ description: config.description }),
    routes: routes.map(({ label, when, nodes }, at) => ({
      label: label ?? String(at + 1),
      when: assembly.fn(id, `when.${at}`, when),
      nodes: assembly.nodes(nodes),
    })),
    otherwise: config.otherwise === undefined ? [] : assembly.nodes(config.otherwise),
  }));
}

export interface ParallelNodeConfig<S, Id extends string, Branches, How extends Strategy> extends NodeOptions<Id> {
  /** By label, or in a list. */
  readonly branches: { readonly [Label in keyof Branches]: InnerNodes<S, Branches[Label]> };
  /** `all` must succeed (default); the first that ends (`race`) or succeeds (`any`) counts alone, the others are aborted. */
  readonly strategy?: How | Exclude<Strategy, How> | undefined;
  /** How many run at a time. Default: all. */
  readonly limit?: number | undefined;
  /** Makes one update of what the branches did. Default: the state's reducers, branch by branch in order. */
  readonly merge?: ((branches: readonly BranchResult[], state: S) => UpdateOf<S> | Promise<UpdateOf<S>>) | undefined;
}

/** In a list, or by label. */
export type AnyBranches = readonly SaidByAny[] | Readonly<Record<string, SaidByAny>>;

/** Of branches that race, only one is sure to end. */
export type SaidByBranches<Branches, How extends Strategy> = How extends "all"
  ? AllOf<Branches extends readonly unknown[] ? Branches[number] : Branches[keyof Branches]>
  : Perhaps<SaidByBranches<Branches, "all">>;

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
export function parallelNode<
  S = BaseState,
  const Id extends string = never,
  Branches = AnyBranches,
  How extends Strategy = "all",
>(
  config: ParallelNodeConfig<S, Id, Branches, How>,
): NodeDefinition<S, SaidAs<Id, readonly string[]> & SaidByBranches<Branches, How>, Json> {
  requireOption("parallelNode", config, "branches", "Pass the branches as a list, or by their labels.");
  const { description, branches, strategy = "all", limit, merge } = config;
  const list = Object.entries(branches as Readonly<Record<string, InnerNodes<S>>>).map(
    ([label, nodes]) => [Array.isArray(branches) ? String(Number(label) + 1) : label, nodes] as const,
  );
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

interface RepeatingOptions<S, Id extends string> extends NodeOptions<Id> {
  /** Default 100. 0: no limit, which requires another bound. A function is called once, at the start, and returns 1 or more. */
  readonly maxIterations?: ValueOrFunction<S, number> | undefined;
  /** What to do when the loop stops before it is done. Default: `continue`; its output says why it stopped. */
  readonly onIncomplete?: "continue" | "fail" | undefined;
}

export interface LoopOptions<S, Id extends string, Said> extends RepeatingOptions<S, Id> {
  /** Checked after each iteration. */
  readonly until: Condition<StateAfter<S, Said>>;
  /** Checked after each iteration: no further iteration starts after this time. */
  readonly maxDurationMs?: number | undefined;
}

/** The output of any loop. `complete` only if it ended because it was done. */
export type LoopEnd = { readonly iterations: number; readonly stopped: string; readonly complete: boolean };

/** Repeats nodes until a condition holds. In a loop, nodes may also read what later ones said in the iteration before. */
export function loopNode<
  S = BaseState,
  const Id extends string = never,
  Said = NoOutputs,
  List extends readonly unknown[] = [],
>(
  body: NodesOrList<AnyOutputs<NoInfer<S>>, Said, List>,
  options: LoopOptions<S, Id, SaidByAll<Said, List>>,
): NodeDefinition<S, SaidAs<Id, LoopEnd> & SaidByAll<Said, List>, LoopEnd> {
  requireOption(
    "loopNode",
    options,
    "until",
    "Pass the nodes first, then the options: loopNode(nodes, { until: (state) => … }).",
  );
  const { until, maxDurationMs } = options;
  return defineNode(options.id, "loop", (id, assembly) => ({
    kind: "loop",
    ...repeating(id, body as AnyNodes, options, assembly),
    until: assembly.fn(id, "until", until),
    ...present({ maxDurationMs }),
  }));
}

function repeating<S>(
  id: string,
  body: AnyNodes,
  { description, maxIterations = 100, onIncomplete = "continue" }: RepeatingOptions<S, string>,
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

export interface TaskLoopNodeConfig<S, Id extends string = string, Said = NoOutputs, List = readonly unknown[]>
  extends RepeatingOptions<S, Id> {
  /** Default: `research/tasks.json`. */
  readonly tasksPath?: ValueOrFunction<S, string> | undefined;
  /** Run for each task, which is in `state.currentTask`. */
  readonly taskNodes: NodesOrList<AnyOutputs<NoInfer<S>>, Said, List>;
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
export function taskLoopNode<
  S = BaseState,
  const Id extends string = never,
  Said = NoOutputs,
  List extends readonly unknown[] = [],
>(
  config: TaskLoopNodeConfig<S, Id, Said, List>,
): NodeDefinition<S, SaidAs<Id, LoopEnd> & Perhaps<SaidByAll<Said, List>>, LoopEnd> {
  requireOption("taskLoopNode", config, "taskNodes", "Pass the nodes that work on one task.");
  const { tasksPath = "research/tasks.json", taskNodes, preIterationNode, limit = 1 } = config;
  const { maxAttempts, markedMeanwhile, until, taskSelector } = config;
  return defineNode(config.id, "task-loop", (id, assembly) => {
    const before = preIterationNode === undefined ? [] : assembly.nodes(preIterationNode);
    const loop = repeating(id, taskNodes as AnyNodes, config, assembly);
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

export interface CriteriaLoopNodeConfig<S, Id extends string = string, Said = NoOutputs, List = readonly unknown[]>
  extends RepeatingOptions<S, Id> {
  readonly taskNodes: NodesOrList<AnyOutputs<NoInfer<S>>, Said, List>;
  /** Counts as a tag, or as a separate line, in the last message. Default: `COMPLETE`. */
  readonly completionSignal?: string | undefined;
  readonly maxDurationMs?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** Iterations in a row with the same outcome after which the loop gives up. Default 3; 0: never. */
  readonly noProgressLimit?: number | undefined;
}

/** Repeats nodes until the agent says that it is done, or until it seems that it never will. */
export function criteriaLoopNode<
  S = BaseState,
  const Id extends string = never,
  Said = NoOutputs,
  List extends readonly unknown[] = [],
>(
  config: CriteriaLoopNodeConfig<S, Id, Said, List>,
): NodeDefinition<S, SaidAs<Id, LoopEnd> & Perhaps<SaidByAll<Said, List>>, LoopEnd> {
  requireOption("criteriaLoopNode", config, "taskNodes", "Pass the nodes to repeat.");
  const { taskNodes, completionSignal = "COMPLETE", maxDurationMs, maxCostUsd, noProgressLimit = 3 } = config;
  return defineNode(config.id, "criteria-loop", (id, assembly) => ({
    kind: "criteria-loop",
    ...repeating(id, taskNodes as AnyNodes, config, assembly),
    signal: completionSignal,
    noProgressLimit,
    ...present({ maxDurationMs, maxCostUsd }),
  }));
}

/** Runs `handler` when one of `nodes` fails, then continues. */
export function tryNode<S>(nodes: Nodes<S, unknown>, handler: Nodes<S, unknown>): NodeDefinition<S> {
  return defineNode(undefined, "try", (id, assembly) => ({
    kind: "try",
    id,
    nodes: assembly.nodes(nodes),
    handler: assembly.nodes(handler),
  }));
}
