// What a node factory gives to a builder: how the node becomes data once its id is known.

import type { ArgumentsJson } from "../entities/workflow-arguments.ts";
import type { Json } from "../run/json.ts";
import { GraphError, type GraphProblem } from "./graph-error.ts";
import {
  type ChannelJson,
  type FunctionRef,
  type GraphJson,
  graphVersion,
  type NodeJson,
  type NodesJson,
  type ValueOrFunctionRef,
} from "./graph-json.ts";
import { jsonOf, present } from "./json-value.ts";
import { type AnyOutputs, Channel, type NoOutputs, type SaidByAny, type StateDefinition } from "./state.ts";

/** Any function that a node refers to. Its role decides which arguments it takes. */
export type GraphFunction = (...args: never[]) => unknown;

/** `Said` are the outputs that later nodes find, by their ids; `Last` is the last one. */
export interface NodeDefinition<in S, out Said = SaidByAny, out Last = unknown> {
  readonly id: string | undefined;
  /** Gets a number if it is already taken. */
  readonly defaultId: string;
  toJson(id: string, assembly: Assembler): NodeJson;
  /** Never set at run time: shows the compiler which state the node needs. */
  readonly "~state"?: (state: S) => void;
  /** Never set at run time: shows the compiler what the node leaves behind. */
  readonly "~outputs"?: { readonly said: Said; readonly last: Last };
}

/** Several nodes, one after the other: a builder. */
export interface Sequence<in S, out Said = SaidByAny, out Last = unknown> {
  readonly definitions: readonly NodeDefinition<S, unknown>[];
  readonly "~state"?: (state: S) => void;
  readonly "~outputs"?: { readonly said: Said; readonly last: Last };
}

/** In a list, nodes may read each other's outputs, which its type cannot show. */
export type Nodes<S, Said = SaidByAny, Last = unknown> =
  | NodeDefinition<S, Said, Last>
  | Sequence<S, Said, Last>
  | readonly NodeDefinition<AnyOutputs<S>, Said, Last>[];

/** The same, for a list whose nodes' outputs are wanted one by one, as `List`. */
export type NodesOrList<S, Said, List, Last = unknown> =
  | NodeDefinition<S, Said, Last>
  | Sequence<S, Said, Last>
  | { readonly [At in keyof List]: NodeDefinition<AnyOutputs<S>, List[At]> }
  | readonly NodeDefinition<AnyOutputs<S>>[];

/** What all of them said. */
export type SaidByAll<Said, List> = Said & (List extends readonly unknown[] ? AllOf<List[number]> : NoOutputs);

/** Of a union, the intersection. */
export type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/**
 * Nodes inside a node. They need the state of the node around them, but do not determine its type: otherwise a node that
 * needs no state would leave the functions beside it without one.
 */
export type InnerNodes<S, Said = unknown> = Nodes<NoInfer<S>, Said>;

/** A graph as data, with what cannot be data. */
export interface Assembled {
  readonly json: GraphJson;
  readonly functions: GraphFunctions;
  readonly problems: readonly GraphProblem[];
}

/** By `<node id>:<role>`; the functions of a graph inside a node start with `<node id>/`. */
export type GraphFunctions = ReadonlyMap<string, GraphFunction>;

/** What a node needs to become data. */
export type Assembler = Pick<Assembly, "nodes" | "fn" | "value" | "inside">;

export function defineNode<S, Said, Last>(
  id: string | undefined,
  defaultId: string,
  toJson: (id: string, assembly: Assembler) => NodeJson,
): NodeDefinition<S, Said, Last> {
  return { id, defaultId, toJson };
}

/** Of any state: which one a node needs is for the compiler alone. */
export type AnyNode = NodeDefinition<never, unknown>;

export type AnyNodes = AnyNode | Sequence<never, unknown> | readonly AnyNode[];

export function definitionsOf(nodes: AnyNodes): readonly AnyNode[] {
  // `Array.isArray` does not narrow read-only lists.
  if (Array.isArray(nodes)) return nodes as readonly AnyNode[];
  return typeof nodes === "object" && nodes !== null && "definitions" in nodes ? nodes.definitions : [nodes as AnyNode];
}

/** For those who do not use a type checker: what a node cannot do without. */
export function requireOption(factory: string, config: unknown, option: string, hint: string): void {
  const options = (typeof config === "object" && config !== null ? config : {}) as Readonly<Record<string, unknown>>;
  if (options[option] !== undefined && options[option] !== null) return;
  const at = typeof options.id === "string" ? { at: options.id } : {};
  throw new GraphError(undefined, [{ code: "bad-shape", message: `${factory}() needs "${option}".`, hint, ...at }]);
}

/** A finished graph, not yet checked against a registry: what a workflow module exports. */
export interface Graph<Final = unknown, Input = never, Outputs = unknown> {
  readonly [graphMark]: true;
  readonly name: string;
  readonly description: string | undefined;
  /** `undefined`: it takes any input. */
  readonly arguments: ArgumentsJson | undefined;
  readonly argumentHint: string | undefined;
  assemble(): Assembled;
  /** Never set at run time: shows the compiler the final state and outputs, and which input it takes. */
  readonly "~types"?: { readonly final: Final; readonly outputs: Outputs; readonly input: (input: Input) => void };
}

/** The same in every copy of this package, since a workflow's module may come with its own. */
export const graphMark: unique symbol = Symbol.for("@atomic/workflows/graph") as never;

export function isGraph(value: unknown): value is Graph {
  return typeof value === "object" && value !== null && graphMark in value;
}

/** Turns definitions into data: assigns ids, and keeps functions under the node and role that the data names. */
export class Assembly {
  readonly #functions = new Map<string, GraphFunction>();
  readonly #problems: GraphProblem[] = [];
  readonly #graph: string;
  readonly #taken = new Map<string, "given" | "default">();

  constructor(graph: string) {
    this.#graph = graph;
  }

  assemble(graph: Pick<Graph, "description" | "arguments">, state: StateDefinition, nodes: AnyNodes): Assembled {
    const { description, arguments: declared } = graph;
    const channels = Object.entries(state).map(([key, value]): [string, ChannelJson] => {
      const { initial: first, reducer } =
        value instanceof Channel ? value : { initial: value, reducer: "last" as const };
      const initial = jsonOf(first, `${this.#graph}: the initial value of "${key}" in the state`);
      if (typeof reducer === "string") return [key, { initial, reducer }];
      this.fn(`state.${key}`, "reduce", reducer);
      return [key, { initial, reducer: "custom" }];
    });
    const json: GraphJson = {
      version: graphVersion,
      name: this.#graph,
      ...present({ description, arguments: declared }),
      state: Object.fromEntries(channels),
      nodes: this.nodes(nodes),
    };
    return { json, functions: this.#functions, problems: this.#problems };
  }

  nodes(nodes: AnyNodes): NodesJson {
    return definitionsOf(nodes).map((definition) => {
      if (typeof definition?.toJson !== "function") {
        throw new GraphError(this.#graph, [
          {
            code: "misplaced",
            message: `Expected a node, not ${definition === null ? "null" : typeof definition}.`,
            hint: "Create one with agentNode(), skillNode(), toolNode(), …",
          },
        ]);
      }
      const { id: wanted, defaultId } = definition;
      const taken = wanted === undefined ? undefined : this.#taken.get(wanted);
      if (wanted !== undefined && taken !== undefined) {
        const by = taken === "default" ? "a node without its own id, which got it by default" : "another node";
        this.#problems.push({
          code: "duplicate-id",
          at: wanted,
          message: `The id "${wanted}" is already used by ${by}.`,
        });
      }
      const isFree = wanted !== undefined && taken === undefined;
      let id = wanted ?? defaultId;
      for (let number = 2; this.#taken.has(id); number++) id = `${wanted ?? defaultId}-${number}`;
      this.#taken.set(id, isFree ? "given" : "default");
      return definition.toJson(id, this);
    });
  }

  fn(id: string, role: string, fn: GraphFunction): FunctionRef {
    if (typeof fn !== "function") {
      const given = typeof fn;
      const what = fn === null || given === "undefined" ? String(fn) : `${given === "object" ? "an" : "a"} ${given}`;
      throw new TypeError(`${id}: "${role}" takes a function, not ${what}.`);
    }
    this.#functions.set(`${id}:${role}`, fn);
    return { fn: role };
  }

  value<T extends Json>(id: string, role: string, value: T | GraphFunction): ValueOrFunctionRef<T> {
    return typeof value === "function" ? this.fn(id, role, value) : { value };
  }

  /** Takes over the functions and problems of a graph inside the node, and returns its data. */
  inside(id: string, { json, functions, problems }: Assembled): GraphJson {
    for (const [key, fn] of functions) this.#functions.set(`${id}/${key}`, fn);
    for (const problem of problems) this.#problems.push({ ...problem, at: `${id}/${problem.at ?? ""}` });
    return json;
  }
}
