// From a node's output to an update of the state. User code runs here, so all of it happens inside steps.
import { didYouMean } from "@atomic/terminal/suggest";
import type { Json } from "../../run/json.ts";
import { readable } from "../../run/large-part.ts";
import { whenDone } from "../../run/promises.ts";
import type { ActingJson } from "../graph-json.ts";
import { type JsonObject, jsonOf } from "../json-value.ts";
import type { NodeResult } from "./memory.ts";
import { callFunction, functionOf, type GraphScope } from "./scope.ts";

type Saving = Pick<ActingJson, "id" | "into" | "output">;

/** Only inside a step. */
export function resultOf(scope: GraphScope, node: Saving, output: unknown): NodeResult | Promise<NodeResult> {
  const value = jsonOf(output, `The output of the node "${node.id}"`);
  if (node.into === undefined && node.output === undefined) return { output: value };
  const into = intoUpdate(scope, node, value);
  if (node.output === undefined) return withReduced(scope, value, into);
  const made = callFunction(scope, node.id, node.output, value, scope.memory.view());
  return whenDone(made, (update) => withReduced(scope, value, { ...into, ...checkedUpdate(scope, node.id, update) }));
}

function withReduced(scope: GraphScope, output: Json, update: JsonObject): NodeResult | Promise<NodeResult> {
  for (const key of Object.keys(update)) {
    if (scope.graph.state[key]?.reducer !== "custom") continue;
    return reducedBy(scope, update).then((reduced) => ({ output, update, ...reduced }));
  }
  return { output, update };
}

/** Takes an output that no step made. If user code has to run for it, that happens in an extra step. */
export async function takeOutput(scope: GraphScope, node: Saving, path: string, output: Json): Promise<void> {
  const reducer = node.into === undefined ? "last" : scope.graph.state[node.into]?.reducer;
  const isPlain = node.output === undefined && (reducer === "last" || reducer === "append");
  const result = isPlain
    ? { output, ...(node.into !== undefined && { update: intoUpdate(scope, node, output) }) }
    : await scope.ctx.step<NodeResult>(`${path}:result`, () => resultOf(scope, node, readable(output)), {
        local: true,
        large: true,
      });
  scope.memory.take(node.id, result);
}

/** Checks an update made by user code: the state must have its keys, and its values must fit their reducers. */
export function checkedUpdate(scope: GraphScope, id: string, made: unknown): JsonObject {
  const update = jsonOf(made ?? {}, `The update from the node "${id}"`);
  if (typeof update !== "object" || update === null || Array.isArray(update)) {
    throw new TypeError(`The update from the node "${id}" must be an object whose keys are in the state.`);
  }
  for (const [key, value] of Object.entries(update as JsonObject)) checkKey(scope, id, key, value);
  return update as JsonObject;
}

function checkKey({ graph: { state } }: GraphScope, id: string, key: string, value: Json): void {
  const channel = Object.hasOwn(state, key) ? state[key] : undefined;
  if (channel === undefined) {
    const [best] = didYouMean(key, Object.keys(state));
    const hint = best === undefined ? "" : ` (did you mean "${best}"?)`;
    throw new TypeError(`The node "${id}" updates "${key}", which is not in the state${hint}.`);
  }
  const { reducer } = channel;
  let wanted: string | undefined;
  if (reducer === "append" && !Array.isArray(value)) wanted = "a list to append";
  if (reducer === "merge" && (typeof value !== "object" || value === null || Array.isArray(value))) {
    wanted = "an object to merge";
  }
  if ((reducer === "sum" || reducer === "max") && typeof value !== "number") wanted = "a number";
  if (wanted !== undefined) throw new TypeError(`The node "${id}" updates "${key}", which requires ${wanted}.`);
}

/** An output as an update of the key that takes it. Throws a `TypeError` if it does not fit the key's reducer. */
export function intoUpdate(scope: GraphScope, { id, into }: Saving, value: Json): JsonObject {
  if (into === undefined) return {};
  const isItem = scope.graph.state[into]?.reducer === "append";
  const update = isItem ? [value] : value;
  checkKey(scope, id, into, update);
  return { [into]: update };
}

/** New values of the updated keys whose reducer is a function. Only inside a step. */
export async function reducedBy(scope: GraphScope, update: JsonObject): Promise<{ reduced?: JsonObject }> {
  const reduced: Record<string, Json> = {};
  for (const [key, value] of Object.entries(update)) {
    if (scope.graph.state[key]?.reducer !== "custom") continue;
    reduced[key] = await reduceCustom(scope, key, scope.memory.values[key] ?? null, [value]);
  }
  return Object.keys(reduced).length === 0 ? {} : { reduced };
}

/** Only inside a step. */
export async function reduceCustom(
  scope: GraphScope,
  key: string,
  first: Json,
  updates: readonly Json[],
): Promise<Json> {
  const reduce = functionOf(scope, `state.${key}`, "reduce");
  let value = first;
  for (const update of updates) {
    const next = await reduce(readable(value), readable(update));
    value = jsonOf(next, `The result of the reducer for "${key}"`);
  }
  return value;
}
