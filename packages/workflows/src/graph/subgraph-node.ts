// A whole graph as one node. Most of this file is about its input: which mistakes in it are type errors.
import type { Json } from "../run/json.ts";
import { type ActingOptions, acting, idOf } from "./action-nodes.ts";
import type { WorkflowName } from "./entity-names.ts";
import { type JsonObject, present } from "./json-value.ts";
import { defineNode, type Graph, isGraph, type NodeDefinition, requireOption } from "./node-definition.ts";
import type { BaseState, BeginsWith, InputFor, Kept, SaidAs } from "./state.ts";

export interface SubgraphNodeConfig<S, Final, Input, Given, Id extends string> extends ActingOptions<S, Final, Id> {
  /** A graph, or the name of a workflow. */
  readonly graph: Graph<Final, Input> | WorkflowName;
  /**
   * Makes the inner graph's input: its arguments, and initial values of its state. Default: the input of the graph around it,
   * which must then have what the inner graph requires.
   */
  readonly input?: ((state: S) => Given | Promise<Given>) | undefined;
}

type InputAround<S> = S extends { readonly input: infer Around } ? Around : Json;

/** Requires `input` if the graph around the node does not have what the inner graph requires. */
type WithInput<S, Input> = BeginsWith<InputAround<S>, Input> extends true ? unknown : { readonly input: object };

/** Requires another `input` if it returns keys that the inner graph does not know. Those of the input around it are harmless. */
type KnownKeys<Given, S, Input> = [UnknownKey<Given, S, Input>] extends [never]
  ? unknown
  : {
      readonly input: (
        ...args: never[]
      ) => `"${UnknownKey<Given, S, Input>}" is not an argument or state key of the graph`;
    };

type UnknownKey<Given, S, Input> = Exclude<KeyOfAny<Given>, KeyOfAny<InputFor<Input>> | keyof InputAround<S>>;

/** The keys of every object in a union. */
type KeyOfAny<Union> = Union extends readonly unknown[] ? never : Union extends object ? keyof Union & string : never;

/**
 * Runs a whole graph as one node, with its own state. The output is its final state.
 *
 * @example
 * subgraphNode({ graph: "review", input: (state) => ({ files: state.changed }), output: ({ verdict }) => ({ verdict }) });
 */
export function subgraphNode<
  S = BaseState,
  Final = JsonObject,
  Input = Json,
  const Id extends string = never,
  const Given extends InputFor<Input> = InputFor<Input>,
>(
  config: SubgraphNodeConfig<S, Final, Input, Given, Id> & WithInput<S, Input> & KnownKeys<Given, S, Input>,
): NodeDefinition<S, SaidAs<Id, NoInfer<Final>>, Kept<NoInfer<Final>>> {
  const given = typeof config?.graph === "string" || isGraph(config?.graph) ? config : { id: config?.id };
  requireOption("subgraphNode", given, "graph", "Pass a graph created with defineGraph(), or the name of a workflow.");
  const { graph, input } = config;
  const name = typeof graph === "string" ? graph : graph.name;
  return defineNode(config.id, idOf("subgraph", name), (id, assembly) => ({
    kind: "subgraph",
    ...acting(id, config, assembly),
    ...(typeof graph === "string" ? { workflow: graph } : { graph: assembly.inside(id, graph.assemble()) }),
    ...present({ input: input && assembly.fn(id, "input", input) }),
  }));
}
