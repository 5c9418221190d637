import type { Json } from "../../run/json.ts";
import type { SubgraphJson } from "../graph-json.ts";
import { jsonOf } from "../json-value.ts";
import { Memory } from "./memory.ts";
import { takeOutput } from "./result.ts";
import { call, type Scope } from "./scope.ts";

export async function runSubgraph(scope: Scope, node: SubgraphJson, path: string): Promise<void> {
  const { graph } = node;
  if (graph === undefined) throw new Error(`The workflow "${node.workflow}" was not compiled into the graph.`);
  const memory = Memory.begin(graph.state, await inputOf(scope, node, path));
  const functionsAt = `${scope.functionsAt}${node.id}/`;
  await scope.runNodes({ ...scope, graph, functionsAt, found: new Map(), memory, prefix: `${path}/` }, graph.nodes);
  scope.memory.usd += memory.usd;
  scope.memory.text = memory.text ?? scope.memory.text;
  await takeOutput(scope, node, path, memory.values);
}

async function inputOf(scope: Scope, { id, input }: SubgraphJson, path: string): Promise<Json> {
  if (input === undefined) return scope.memory.input;
  const make = async (): Promise<Json> =>
    jsonOf(await call(scope, id, input, scope.memory.view()), `The input of the graph in "${id}"`);
  return await scope.ctx.step(`${path}:input`, make, { local: true });
}
