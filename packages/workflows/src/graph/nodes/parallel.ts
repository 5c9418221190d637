import type { Json } from "../../run/json.ts";
import type { Strategy } from "../graph-json.ts";
import { type BaseState, defineNode, type InnerNodes, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import type { UpdateOf } from "../state.ts";
import type { NodeOptions } from "./options.ts";

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
  return defineNode(config.id, "parallel", (id, assembler) => ({
    kind: "parallel",
    id,
    ...present({ description }),
    strategy,
    ...present({ limit }),
    branches: labelled(branches).map(([label, nodes]) => ({ label, nodes: assembler.nodes(nodes) })),
    ...present({ merge: merge && assembler.fn(id, "merge", merge) }),
  }));
}

function labelled<S>(branches: ParallelNodeConfig<S>["branches"]): (readonly [label: string, nodes: InnerNodes<S>])[] {
  if (!isList(branches)) return Object.entries(branches);
  return branches.map((nodes, at) => [String(at + 1), nodes]);
}

/** `Array.isArray` does not tell read-only lists from objects. */
function isList<S>(branches: ParallelNodeConfig<S>["branches"]): branches is readonly InnerNodes<S>[] {
  return Array.isArray(branches);
}
