import type { Json } from "../../run/json.ts";
import type { RunCtx } from "../../run/run-ctx.ts";
import { StepFailedError } from "../../run/step-errors.ts";
import type { CompiledGraph } from "../compile.ts";
import {
  type FunctionRef,
  type GraphJson,
  isFunctionRef,
  type NodesJson,
  type ValueOrFunctionRef,
} from "../graph-json.ts";
import type { Services } from "../services.ts";
import type { Memory } from "./memory.ts";

/** Where the interpreter is, and what it works with there. */
export interface GraphScope {
  readonly ctx: RunCtx;
  readonly compiled: CompiledGraph;
  readonly services: Services;
  /** The graph that these nodes belong to: the whole one, or one inside a node of it. */
  readonly graph: GraphJson;
  /** Prefix of this graph's functions among all functions. */
  readonly functionsAt: string;
  /** Functions called before, which need not be looked up again. */
  readonly found: Map<FunctionRef, (...args: readonly unknown[]) => unknown>;
  /** Prefix of the nodes' keys. */
  readonly prefix: string;
  readonly memory: Memory;
  readonly runNodes: (scope: GraphScope, nodes: NodesJson) => Promise<void>;
}

/** Calls a function of the graph, which may return a promise. Only inside a step. */
export function callFunction(
  scope: GraphScope,
  id: string,
  reference: FunctionRef,
  ...args: readonly unknown[]
): unknown {
  let found = scope.found.get(reference);
  if (found === undefined) {
    found = functionOf(scope, id, reference.fn);
    scope.found.set(reference, found);
  }
  return found(...args);
}

export function functionOf(scope: GraphScope, id: string, role: string): (...args: readonly unknown[]) => unknown {
  const found = scope.compiled.functions.get(`${scope.functionsAt}${id}:${role}`);
  if (found === undefined) throw new Error(`The graph has no function "${role}" for the node "${id}".`);
  return found as (...args: readonly unknown[]) => unknown;
}

/** A value as it was given, or as a function computes it from the state. Only inside a step. */
export function resolveValue<T extends Json>(
  scope: GraphScope,
  id: string,
  value: ValueOrFunctionRef<T>,
): Promise<T> | T {
  return isFunctionRef(value) ? (callFunction(scope, id, value, scope.memory.view()) as Promise<T> | T) : value.value;
}

export async function resolveText(
  scope: GraphScope,
  id: string,
  role: string,
  value: ValueOrFunctionRef<string>,
): Promise<string> {
  const text: unknown = await resolveValue(scope, id, value);
  if (typeof text === "string") return text;
  const type = typeof text === "object" ? "an object" : `a ${typeof text}`;
  const given = text === undefined || text === null ? String(text) : type;
  throw new TypeError(`"${role}" in the node "${id}" returned ${given} instead of text.`);
}

/** A node's failure that does not come from a step. It follows from the journal, so it happens again on replay. */
export function failure(path: string, name: string, message: string): StepFailedError {
  return new StepFailedError(path, { name, message, key: path }, 1);
}
