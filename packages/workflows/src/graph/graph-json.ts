// A graph as data, which is stored with a run, printed, drawn and interpreted. Functions stay in the module that defines
// the graph; the data names them by node and role.

import type { ArgumentsJson } from "../entities/workflow-arguments.ts";
import type { Action } from "../permission/rules.ts";
import type { Budget } from "../run/budget.ts";
import type { Json } from "../run/json.ts";

/** Increases when a reader of the previous version would misunderstand the data. */
export const graphVersion = 1;

export type GraphJson = {
  readonly version: typeof graphVersion;
  readonly name: string;
  readonly description?: string;
  readonly arguments?: ArgumentsJson;
  readonly state: { readonly [channel: string]: ChannelJson };
  readonly nodes: NodesJson;
  /** Which entity a name meant when the graph was compiled: `skill:commit` is `claude:project/commit`. */
  readonly entities?: { readonly [reference: string]: string };
};

/** One key of the state: its initial value, and how updates apply. `custom` is the function `state.<key>:reduce`. */
export type ChannelJson = { readonly initial: Json; readonly reducer: ReducerName | "custom" };
export type ReducerName = "last" | "append" | "merge" | "sum" | "max";

export type NodesJson = readonly NodeJson[];

/** The function that plays this role for this node. */
export type FunctionRef = { readonly fn: string };
export function isFunctionRef(value: unknown): value is FunctionRef {
  return typeof value === "object" && value !== null && "fn" in value;
}

/** A value known when the graph was built, or a function that computes it from the state. */
export type ValueOrFunctionRef<T extends Json> = { readonly value: T } | FunctionRef;

export type NodeJson =
  | AgentJson
  | SkillJson
  | CommandJson
  | ToolJson
  | WaitJson
  | AskUserJson
  | ClearContextJson
  | SubgraphJson
  | DecisionJson
  | ParallelJson
  | MapJson
  | LoopJson
  | TaskLoopJson
  | CriteriaLoopJson
  | TryJson;

export type NodeKind = NodeJson["kind"];
export type NodeOfKind<K extends NodeKind> = Extract<NodeJson, { readonly kind: K }>;

type Described = { readonly id: string; readonly description?: string };

/** Options of every node that does something itself. */
export type ActingJson = Described & {
  /** The key of the state that takes the output. */
  readonly into?: string;
  /** Makes an update of the state from the output. */
  readonly output?: FunctionRef;
  /** After the last failed attempt: continue, or run these nodes and continue. Without it, the graph fails here. */
  readonly onError?: "continue" | NodesJson;
  readonly retry?: RetryJson;
  readonly timeoutMs?: number;
};

export type RetryJson = {
  /** All attempts, including the first. */
  readonly maxAttempts: number;
  readonly backoffMs?: number;
  readonly backoffMultiplier?: number;
  readonly maxBackoffMs?: number;
  /** Whether an error is worth another attempt. */
  readonly retryOn?: FunctionRef;
};

/** For all attempts of a node together. */
export type BudgetJson = Pick<Budget, keyof Budget>;

/** More options of nodes that send a prompt. */
export type PromptingJson = ActingJson & {
  readonly host?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly permissions?: Action | { readonly [tool: string]: Action };
  /** Nodes that name the same session continue one conversation. Without a name, a node gets its own session. */
  readonly session?: string;
  /** The longest time without a sign of life from the host. */
  readonly idleTimeoutMs?: number;
  readonly budget?: BudgetJson;
};

export type AgentJson = PromptingJson & {
  readonly kind: "agent";
  readonly agent?: string;
  readonly system?: ValueOrFunctionRef<string>;
  /** Default: the run's input. */
  readonly prompt?: ValueOrFunctionRef<string>;
  /** `ask` adds to the prompt what the reply must look like; `read` makes the output of the reply. */
  readonly schema?: { readonly ask: FunctionRef; readonly read: FunctionRef; readonly repairs: number };
};

export type SkillJson = PromptingJson & {
  readonly kind: "skill";
  readonly skill: string;
  readonly args?: ValueOrFunctionRef<string>;
};

export type CommandJson = PromptingJson & {
  readonly kind: "command";
  readonly command: string;
  readonly args?: ValueOrFunctionRef<string>;
};

export type ToolJson = ActingJson & {
  readonly kind: "tool";
  readonly idleTimeoutMs?: number;
  readonly budget?: BudgetJson;
} & ({ readonly tool: string; readonly args?: ValueOrFunctionRef<Json> } | { readonly run: FunctionRef });

type AnswerableJson = Omit<ActingJson, "retry"> & {
  /** The answer if no answer comes in time. Without it, the node fails. */
  readonly fallback?: Json;
};

export type WaitJson = AnswerableJson & {
  readonly kind: "wait";
  readonly prompt: ValueOrFunctionRef<string>;
  /** Whether to continue without asking. */
  readonly auto?: ValueOrFunctionRef<boolean>;
};

export type AskUserJson = AnswerableJson & {
  readonly kind: "ask-user";
  readonly question: ValueOrFunctionRef<string>;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multiple?: boolean;
};

/** Forgets one session, or all. */
export type ClearContextJson = Described & { readonly kind: "clear-context"; readonly session?: string };

export type SubgraphJson = Omit<ActingJson, "retry" | "timeoutMs"> & {
  readonly kind: "subgraph";
  /** The workflow that the graph came from, if it was named. */
  readonly workflow?: string;
  readonly graph?: GraphJson;
  /** Makes the inner graph's input. Default: the outer graph's input. */
  readonly input?: FunctionRef;
};

export type DecisionJson = Described & {
  readonly kind: "decision";
  /** The first whose condition holds is taken. */
  readonly routes: readonly { readonly label: string; readonly when: FunctionRef; readonly nodes: NodesJson }[];
  readonly otherwise: NodesJson;
};

export type Strategy = "all" | "race" | "any";

export type ParallelJson = Described & {
  readonly kind: "parallel";
  readonly strategy: Strategy;
  readonly limit?: number;
  readonly branches: readonly { readonly label: string; readonly nodes: NodesJson }[];
  /** Makes one update of what the branches did, instead of the reducers. */
  readonly merge?: FunctionRef;
};

/** Runs the nodes for each item of a list. */
export type MapJson = Described & {
  readonly kind: "map";
  readonly over: ValueOrFunctionRef<readonly Json[]>;
  /** The key under which the nodes find their item. */
  readonly as: string;
  readonly nodes: NodesJson;
  /** How many items run at a time. Default: as many as the run may have prompts at a time. */
  readonly limit?: number;
  /** The key of the state that takes the items' outputs. */
  readonly into?: string;
  /** Makes one update of what the items did, instead of the reducers. */
  readonly merge?: FunctionRef;
  readonly onItemError: "fail" | "continue";
};

/** Options of every loop. */
export type RepeatingJson = Described & {
  readonly nodes: NodesJson;
  /** 0: no limit, which requires another bound. A function is called once, when the loop begins. */
  readonly maxIterations: number | FunctionRef;
  /** Whether the graph continues after a loop that stopped before it was done. */
  readonly onIncomplete: "continue" | "fail";
};

export type LoopJson = RepeatingJson & {
  readonly kind: "loop";
  readonly until: FunctionRef;
  readonly maxDurationMs?: number;
};

export type TaskLoopJson = RepeatingJson & {
  readonly kind: "task-loop";
  readonly tasksPath: ValueOrFunctionRef<string>;
  /** How many tasks run at a time. */
  readonly limit: number;
  /** How often a task is tried before the loop gives it up. Default 1. */
  readonly maxAttempts?: number;
  /** What to do with a task that something other than the loop set to passing while agents were working. Default: verify. */
  readonly markedMeanwhile?: "accept" | "verify";
  readonly until?: FunctionRef;
  readonly select?: FunctionRef;
};

export type CriteriaLoopJson = RepeatingJson & {
  readonly kind: "criteria-loop";
  /** Counts as a tag, or as a separate line, in the last message. */
  readonly signal: string;
  readonly maxDurationMs?: number;
  readonly maxCostUsd?: number;
  /** Iterations in a row with the same outcome after which the loop gives up. 0: never. */
  readonly noProgressLimit: number;
};

/** Runs the handler when one of the other nodes fails, then continues. */
type TryJson = Described & { readonly kind: "try"; readonly nodes: NodesJson; readonly handler: NodesJson };

/** Every node, outer ones first, in the order in which they are written. Does not enter the graph inside a subgraph. */
export function* allNodes(nodes: NodesJson): Iterable<NodeJson> {
  for (const node of nodes) {
    yield node;
    if (node.kind === "decision") {
      for (const route of node.routes) yield* allNodes(route.nodes);
      yield* allNodes(node.otherwise);
    } else if (node.kind === "parallel") for (const branch of node.branches) yield* allNodes(branch.nodes);
    else if ("nodes" in node) yield* allNodes(node.nodes);
    const handler = node.kind === "try" ? node.handler : "onError" in node ? node.onError : undefined;
    if (handler !== undefined && handler !== "continue") yield* allNodes(handler);
  }
}

/** The same for a whole graph, with the nodes of graphs inside subgraphs. `at` is a node's path, such as `review/check`. */
export function* nodesWithPaths(
  graph: GraphJson,
  prefix = "",
): Iterable<{ readonly node: NodeJson; readonly at: string }> {
  for (const node of allNodes(graph.nodes)) {
    const at = prefix + node.id;
    yield { node, at };
    if (node.kind === "subgraph" && node.graph !== undefined) yield* nodesWithPaths(node.graph, `${at}/`);
  }
}

/** The same nodes, each replaced by what `change` returns for it, inner nodes first. */
export function mapNodes(nodes: NodesJson, change: (node: NodeJson) => NodeJson): NodesJson {
  const mapped = <T extends { readonly nodes: NodesJson }>(each: T): T => {
    return { ...each, nodes: mapNodes(each.nodes, change) };
  };
  return nodes.map((node) => {
    switch (node.kind) {
      case "decision":
        return change({ ...node, routes: node.routes.map(mapped), otherwise: mapNodes(node.otherwise, change) });
      case "parallel":
        return change({ ...node, branches: node.branches.map(mapped) });
      case "map":
      case "loop":
      case "task-loop":
      case "criteria-loop":
        return change(mapped(node));
      case "try":
        return change({ ...mapped(node), handler: mapNodes(node.handler, change) });
      case "clear-context":
        return change(node);
      default:
        if (node.onError === undefined || node.onError === "continue") return change(node);
        return change({ ...node, onError: mapNodes(node.onError, change) });
    }
  });
}
