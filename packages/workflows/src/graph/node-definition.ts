// What a node factory gives to a builder: how to become data, once its id is known.
import type { Json } from "../run/json.ts";
import type { ArgumentsJson } from "./graph-arguments.ts";
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
import { Channel, type StateDefinition } from "./state.ts";

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
  given<T extends Json>(id: string, role: string, value: T | GraphFunction): ValueOrFunctionRef<T>;
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

/** A finished graph, not yet checked against a registry: what a workflow module exports. */
export interface Graph {
  readonly [graphMark]: true;
  readonly name: string;
  readonly description: string | undefined;
  /** `undefined`: it takes whatever it is given. */
  readonly arguments: ArgumentsJson | undefined;
  readonly argumentHint: string | undefined;
  assemble(): Assembled;
}

/** The same in every copy of this package, since a workflow's module may come with its own. */
export const graphMark: unique symbol = Symbol.for("@atomic/workflows/graph") as never;

export function isGraph(value: unknown): value is Graph {
  return typeof value === "object" && value !== null && graphMark in value;
}

// Definitions become data: ids are handed out, functions put aside under the node and role that the data names them by.
export interface Unassembled {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments?: ArgumentsJson | undefined;
  readonly state: StateDefinition;
  readonly nodes: Nodes<never>;
}

export function assemble({ name, description, arguments: declared, state, nodes }: Unassembled): Assembled {
  const assembly = new Assembly(name);
  const json: GraphJson = {
    version: graphVersion,
    name,
    ...present({ description, arguments: declared }),
    state: assembly.state(state),
    nodes: assembly.nodes(nodes),
  };
  return { json, functions: assembly.functions, problems: assembly.problems };
}

/** What `id` and `role` are filed under. */
export function functionKey(id: string, role: string): string {
  return `${id}:${role}`;
}

class Assembly implements Assembler {
  readonly functions = new Map<string, GraphFunction>();
  readonly problems: GraphProblem[] = [];
  readonly #graph: string;
  readonly #taken = new Map<string, "given" | "default">();

  constructor(graph: string) {
    this.#graph = graph;
  }

  nodes(nodes: Nodes<never>): NodesJson {
    return definitionsOf(nodes).map((definition) => this.#node(definition));
  }

  fn(id: string, role: string, fn: GraphFunction): FunctionRef {
    if (typeof fn !== "function") throw new TypeError(`${id}: "${role}" takes a function, not ${typeof fn}.`);
    this.functions.set(functionKey(id, role), fn);
    return { fn: role };
  }

  given<T extends Json>(id: string, role: string, value: T | GraphFunction): ValueOrFunctionRef<T> {
    return typeof value === "function" ? this.fn(id, role, value) : { value };
  }

  inside(id: string, { json, functions, problems }: Assembled): GraphJson {
    for (const [key, fn] of functions) this.functions.set(`${id}/${key}`, fn);
    for (const problem of problems) this.problems.push({ ...problem, at: `${id}/${problem.at ?? ""}` });
    return json;
  }

  state(definition: StateDefinition): Record<string, ChannelJson> {
    return Object.fromEntries(Object.entries(definition).map(([key, value]) => [key, this.#channel(key, value)]));
  }

  #channel(key: string, value: unknown): ChannelJson {
    if (!(value instanceof Channel)) return { initial: this.#initial(key, value), reducer: "last" };
    const { reducer } = value;
    const initial = this.#initial(key, value.initial);
    if (typeof reducer === "string") return { initial, reducer };
    this.fn(`state.${key}`, "reduce", reducer);
    return { initial, reducer: "custom" };
  }

  #initial(key: string, value: unknown): Json {
    return jsonOf(value, `${this.#graph}: the first value of the state's "${key}"`);
  }

  #node(definition: NodeDefinition<never>): NodeJson {
    if (typeof definition?.toJson !== "function") {
      throw new GraphError(this.#graph, [
        {
          code: "misplaced",
          message: `A node is expected, not ${definition === null ? "null" : typeof definition}.`,
          hint: "Make one with agentNode(), skillNode(), toolNode(), …",
        },
      ]);
    }
    return definition.toJson(this.#idOf(definition), this);
  }

  #idOf({ id, defaultId }: NodeDefinition<never>): string {
    if (id === undefined) return this.#free(defaultId);
    if (this.#taken.has(id)) {
      const by = this.#taken.get(id) === "default" ? "a node without an id of its own, whose default it is" : "another";
      this.problems.push({ code: "duplicate-id", at: id, message: `The id "${id}" is taken by ${by}.` });
      return this.#free(id);
    }
    this.#taken.set(id, "given");
    return id;
  }

  #free(wanted: string): string {
    let id = wanted;
    for (let number = 2; this.#taken.has(id); number++) id = `${wanted}-${number}`;
    this.#taken.set(id, "default");
    return id;
  }
}
