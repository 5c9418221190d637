// What a node factory gives to a builder: how to become data, once its id is known.

import type { Json } from "../run/json.ts";
import type { ErrorRecord } from "../run/step-errors.ts";
import type { GraphProblem } from "./graph-error.ts";
import type { FunctionRef, Given, GraphJson, NodeJson, NodesJson } from "./graph-json.ts";

/** What the interpreter adds to the state that a graph declares. */
export interface BaseState {
  /** What the run was started with. */
  readonly input: Json;
  /** The last output of each node, by its id. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** What went wrong, for those who handle it. `key` is the node. */
  readonly error?: ErrorRecord;
  /** Of the innermost loop around, from 1. */
  readonly iteration?: number;
  /** What the task loop around is at. */
  readonly currentTask?: LoopTask;
}

/** A task as a graph sees it; the task loop knows more about it. */
export interface LoopTask {
  readonly id: string;
  readonly [key: string]: Json | undefined;
}

/** Any function that a node refers to. Which arguments it takes is a matter of its role. */
export type GraphFunction = (...args: never[]) => unknown;

export interface NodeDefinition<in S> {
  readonly id: string | undefined;
  /** Made unique where it is taken already. */
  readonly defaultId: string;
  toJson(id: string, assembler: Assembler): NodeJson;
  /** Never there: tells the compiler which state the node needs. */
  readonly "~state"?: (state: S) => void;
}

/** Something that stands for several nodes, one after the other: a builder. */
export interface Sequence<in S> {
  readonly definitions: readonly NodeDefinition<S>[];
  readonly "~state"?: (state: S) => void;
}

export type Nodes<S> = NodeDefinition<S> | Sequence<S> | readonly NodeDefinition<S>[];

/**
 * Nodes inside a node. They need the state that the node around them has, and do not say which one that is: else a node
 * that needs none would leave the functions beside it without any.
 */
export type InnerNodes<S> = Nodes<NoInfer<S>>;

/** A graph as data, with what stays outside of it. */
export interface Assembled {
  readonly json: GraphJson;
  readonly functions: GraphFunctions;
  readonly problems: readonly GraphProblem[];
}

/** By `<node id>:<role>`; those of a graph inside a node below `<node id>/`. */
export type GraphFunctions = ReadonlyMap<string, GraphFunction>;

/** Collects functions and hands out ids while definitions become data. */
export interface Assembler {
  nodes(nodes: Nodes<never>): NodesJson;
  fn(id: string, role: string, fn: GraphFunction): FunctionRef;
  given<T extends Json>(id: string, role: string, value: T | GraphFunction): Given<T>;
  /** Takes in the functions and problems of a graph inside the node, and gives its data. */
  inside(id: string, graph: Assembled): GraphJson;
}

export function defineNode<S>(
  id: string | undefined,
  defaultId: string,
  toJson: (id: string, assembler: Assembler) => NodeJson,
): NodeDefinition<S> {
  return { id, defaultId, toJson };
}

export function definitionsOf<S>(nodes: Nodes<S>): readonly NodeDefinition<S>[] {
  if (isList(nodes)) return nodes;
  return "definitions" in nodes ? nodes.definitions : [nodes];
}

/** `Array.isArray` does not tell read-only lists from objects. */
function isList<S>(nodes: Nodes<S>): nodes is readonly NodeDefinition<S>[] {
  return Array.isArray(nodes);
}
