// In its own file because it hands a builder to the caller, and builders are made of the other nodes.
import type { Json } from "../run/json.ts";
import type { NodeOptions, ValueOrFunction } from "./action-nodes.ts";
import { GraphBuilder } from "./builder.ts";
import { jsonOf, present } from "./json-value.ts";
import { type AnyNodes, defineNode, type NodeDefinition, requireOption, type Sequence } from "./node-definition.ts";
import type { BaseState, Kept, KeyOf, NoOutputs, SaidAs, TakenBy, UpdateOf } from "./state.ts";

export interface MapNodeConfig<S, Item, As extends string, Id extends string, Into, Last, OnItemError>
  extends NodeOptions<Id> {
  /** The list, or a function that makes it from the state. It is made once, when the node begins, and recorded. */
  readonly over: ValueOrFunction<S, readonly Item[]>;
  /** The state's key under which the nodes find their item. */
  readonly as: As;
  /**
   * Run for each item. A function gets a builder whose state has the item, with its type: `(each) => each.then(…)`. Nodes
   * that do not read the item can be given as they are.
   */
  readonly nodes:
    | ItemNodes<S, Last>
    | ((each: GraphBuilder<ItemState<S, Item, As>, unknown, never, NoOutputs>) => ItemNodes<never, Last>);
  /** How many items run at a time. Default: as many as the run may have prompts at a time. */
  readonly limit?: number | undefined;
  /**
   * The state's key that takes the items' outputs, one after the other in the list's order, as its reducer says. A key
   * without a reducer takes the whole list of outputs.
   */
  readonly into?: Into | undefined;
  /** Makes one update of what the items did. Default: the state's reducers, item by item in the list's order. */
  readonly merge?: ((items: readonly ItemResult<Item>[], state: S) => UpdateOf<S> | Promise<UpdateOf<S>>) | undefined;
  /**
   * When an item fails for good: `fail` stops the others, and the node fails. With `continue`, the others continue; a failed
   * item's output is `null`, and `state.error` names the failed items. Default `fail`.
   */
  readonly onItemError?: OnItemError | undefined;
}

/** What a list of nodes says last is not known. */
type ItemNodes<S, Last> =
  | NodeDefinition<NoInfer<S>, unknown, Last>
  | Sequence<NoInfer<S>, unknown, Last>
  | readonly NodeDefinition<NoInfer<S>, unknown>[];

/** What an item's nodes see. */
type ItemState<S, Item, As extends string> = S & { readonly [Key in As]: Item };

/** What the nodes did for one item. */
export interface ItemResult<Item> {
  readonly item: Item;
  /** The output of the last node; `null` if the item failed. */
  readonly output: Json;
  /** The item's updates of the state, combined by the reducers. A key whose reducer is a function has a list of its updates. */
  readonly update: Readonly<Record<string, Json>>;
}

/**
 * Runs nodes for each item of a list that is known only at run time, several items at a time. Each item sees the state from
 * before, its own updates, and itself. The output is the list of the items' outputs, in the list's order.
 *
 * @example
 * mapNode({
 *   id: "review",
 *   over: (state) => state.files,
 *   as: "file",
 *   nodes: (each) => each.then(agentNode({ agent: "reviewer", prompt: ({ file }) => `Review ${file}.` })),
 *   into: "findings",
 *   limit: 4,
 * });
 */
export function mapNode<
  S = BaseState,
  Item = Json,
  const As extends string = string,
  const Id extends string = never,
  Into extends KeyOf<S> = never,
  Last = unknown,
  OnItemError extends "fail" | "continue" = "fail",
>(
  config: MapNodeConfig<S, Item, As, Id, Into, Last, OnItemError>,
): [Last] extends [TakenBy<S, Into>]
  ? NodeDefinition<S, SaidAs<Id, readonly ItemOutput<Last, OnItemError>[]>, readonly ItemOutput<Last, OnItemError>[]>
  : KeyDoesNotTake<Into, Last> {
  requireOption("mapNode", config, "nodes", "Pass the nodes to run for each item.");
  const { description, over, as, nodes, limit, into, merge, onItemError = "fail" } = config;
  const node = defineNode(config.id, "map", (id, assembly) => ({
    kind: "map",
    id,
    ...present({ description }),
    over: typeof over === "function" ? assembly.fn(id, "over", over) : { value: listOf(over, id) },
    as,
    nodes: assembly.nodes((typeof nodes === "function" ? nodes(new GraphBuilder({ name: id })) : nodes) as AnyNodes),
    ...present({ limit, into, merge: merge && assembly.fn(id, "merge", merge) }),
    onItemError,
  }));
  return node as never;
}

/** Not a node: `into` names a key of the state that cannot take what the items say. */
interface KeyDoesNotTake<Key, Output> {
  readonly key: Key;
  readonly output: Output;
}

type ItemOutput<Last, OnItemError> = OnItemError extends "continue" ? Kept<Last> | null : Kept<Last>;

function listOf(over: unknown, id: string): readonly Json[] {
  return jsonOf(over, `"over" in the node "${id}"`) as readonly Json[];
}
