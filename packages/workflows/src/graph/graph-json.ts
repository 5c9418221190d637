// A graph as data: what is stored with a run, printed, drawn and interpreted. Functions stay in the module that defines
// the graph; the data names them by node and role.
import type { Action } from "../permission/rules.ts";
import type { Budget } from "../run/budget.ts";
import type { Json } from "../run/json.ts";
import type { ArgumentsJson } from "./graph-arguments.ts";

/** Grows when a reader of the version before would misunderstand the data. */
export const graphVersion = 1;

export type GraphJson = {
  readonly version: typeof graphVersion;
  readonly name: string;
  readonly description?: string;
  /** What it can be told when it is started. */
  readonly arguments?: ArgumentsJson;
  readonly state: { readonly [channel: string]: ChannelJson };
  readonly nodes: NodesJson;
  /** Which entity a name meant when the graph was compiled: `skill:commit` is `claude:project/commit`. */
  readonly entities?: { readonly [reference: string]: string };
};

/** One key of the state: its first value, and what becomes of an update. `custom` is the function `state.<key>:reduce`. */
export type ChannelJson = { readonly initial: Json; readonly reducer: ReducerName | "custom" };
export type ReducerName = "last" | "append" | "merge" | "sum" | "max";

export type NodesJson = readonly NodeJson[];

/** The function that plays this role for this node. */
export type FunctionRef = { readonly fn: string };
export function isFunctionRef(value: unknown): value is FunctionRef {
  return typeof value === "object" && value !== null && "fn" in value;
}

/** Known when the graph was made, or by a function of the state. */
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
  | LoopJson
  | TaskLoopJson
  | CriteriaLoopJson
  | TryJson;

export type NodeKind = NodeJson["kind"];
export type NodeOfKind<K extends NodeKind> = Extract<NodeJson, { readonly kind: K }>;

type Described = { readonly id: string; readonly description?: string };

/** What every node that does something itself can be told. */
export type ActingJson = Described & {
  /** The key of the state that takes the output. */
  readonly into?: string;
  /** Makes an update of the state from the output. */
  readonly output?: FunctionRef;
  /** What happens after the last attempt has failed: continue, or run these nodes and continue. Otherwise the graph fails here. */
  readonly onError?: "continue" | NodesJson;
  readonly retry?: RetryJson;
  readonly timeoutMs?: number;
};

export type RetryJson = {
  /** All attempts, with the first. */
  readonly maxAttempts: number;
  readonly backoffMs?: number;
  readonly backoffMultiplier?: number;
  readonly maxBackoffMs?: number;
  /** Whether an error is worth another attempt. */
  readonly retryOn?: FunctionRef;
};

/** Of all attempts of a node together. */
export type BudgetJson = Pick<Budget, keyof Budget>;

/** What a node that sends a prompt can be told besides. */
export type PromptingJson = ActingJson & {
  readonly host?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly permissions?: Action | { readonly [tool: string]: Action };
  /** Nodes that name the same session continue one conversation. Without a name, a node has one of its own. */
  readonly session?: string;
  /** Longest time without a sign of life from the host. */
  readonly idleTimeoutMs?: number;
  readonly budget?: BudgetJson;
};

export type AgentJson = PromptingJson & {
  readonly kind: "agent";
  readonly agent?: string;
  readonly system?: ValueOrFunctionRef<string>;
  /** Default: the input of the run. */
  readonly prompt?: ValueOrFunctionRef<string>;
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
  /** The answer if none comes in time. Without it, the node fails. */
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
  /** The workflow it was taken from, where it was taken by name. */
  readonly workflow?: string;
  readonly graph?: GraphJson;
  /** Makes the input of the graph inside. Default: the input of this one. */
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
  /** Makes one update of what the branches did, in place of the reducers. */
  readonly merge?: FunctionRef;
};

/** What every loop can be told. */
export type RepeatingJson = Described & {
  readonly nodes: NodesJson;
  /** 0: no limit, which takes another one. A function says it when the loop begins. */
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
  /** How many tasks are worked on at a time. */
  readonly limit: number;
  /** How often a task is tried before it counts as failing for good. Default 1. */
  readonly maxAttempts?: number;
  /** What happens to a task that something other than the loop set to passing while agents were at work. Default: accept. */
  readonly markedMeanwhile?: "accept" | "verify";
  readonly until?: FunctionRef;
  readonly select?: FunctionRef;
};

export type CriteriaLoopJson = RepeatingJson & {
  readonly kind: "criteria-loop";
  /** Counts as a tag or a line of its own in the last message. */
  readonly signal: string;
  readonly maxDurationMs?: number;
  readonly maxCostUsd?: number;
  /** Iterations in a row with the same outcome after which the loop gives up. 0: never. */
  readonly noProgressLimit: number;
};

/** Runs the handler when one of the other nodes fails, then continues. */
type TryJson = Described & { readonly kind: "try"; readonly nodes: NodesJson; readonly handler: NodesJson };

/** Nodes inside a node, and where. The graph inside a subgraph is separate and not among them. */
interface ChildNodes {
  /** Where they are in the data: `routes[0].nodes`. */
  readonly at: string;
  readonly nodes: NodesJson;
}

export function childrenOf(node: NodeJson): readonly ChildNodes[] {
  switch (node.kind) {
    case "decision":
      return [
        ...node.routes.map(({ nodes }, at) => ({ at: `routes[${at}].nodes`, nodes })),
        { at: "otherwise", nodes: node.otherwise },
      ];
    case "parallel":
      return node.branches.map(({ nodes }, at) => ({ at: `branches[${at}].nodes`, nodes }));
    case "loop":
    case "task-loop":
    case "criteria-loop":
      return [{ at: "nodes", nodes: node.nodes }];
    case "try":
      return [
        { at: "nodes", nodes: node.nodes },
        { at: "handler", nodes: node.handler },
      ];
    default:
      if (!("onError" in node) || node.onError === "continue") return [];
      return [{ at: "onError", nodes: node.onError ?? [] }];
  }
}

/** Every node, the outer ones first, in the order in which they are written. */
export function* allNodes(nodes: NodesJson): Iterable<NodeJson> {
  for (const node of nodes) {
    yield node;
    for (const children of childrenOf(node)) yield* allNodes(children.nodes);
  }
}

/** The same nodes, each replaced by what `change` makes of it after its children. */
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
