import type { Json } from "../../run/json.ts";
import type { RunCtx } from "../../run/run-ctx.ts";
import { StepFailedError } from "../../run/step-errors.ts";
import type { CompiledGraph } from "../compile.ts";
import { type FunctionRef, type Given, type GraphJson, isFunctionRef, type NodesJson } from "../graph-json.ts";
import { functionKey } from "../node-definition.ts";
import type { Services } from "../services.ts";
import type { Memory } from "./memory.ts";

/** Where the interpreter is. */
export interface Scope {
  readonly ctx: RunCtx;
  readonly compiled: CompiledGraph;
  readonly services: Services;
  /** The graph whose nodes these are: the whole, or one inside a node of it. */
  readonly graph: GraphJson;
  /** Of the functions of this graph, among those of the whole. */
  readonly functionsAt: string;
  /** Those that were called before: they need not be looked for. */
  readonly found: Map<FunctionRef, (...args: readonly unknown[]) => unknown>;
  /** Of the keys of nodes. */
  readonly prefix: string;
  readonly memory: Memory;
  readonly runNodes: (scope: Scope, nodes: NodesJson) => Promise<void>;
}

/** What a function of the graph returns: perhaps a promise. Only inside a step. */
export function call(scope: Scope, id: string, reference: FunctionRef, ...args: readonly unknown[]): unknown {
  let found = scope.found.get(reference);
  if (found === undefined) {
    found = functionOf(scope, id, reference.fn);
    scope.found.set(reference, found);
  }
  return found(...args);
}

export function functionOf(scope: Scope, id: string, role: string): (...args: readonly unknown[]) => unknown {
  const found = scope.compiled.functions.get(scope.functionsAt + functionKey(id, role));
  if (found === undefined) throw new Error(`The graph has no function "${role}" for the node "${id}".`);
  return found as (...args: readonly unknown[]) => unknown;
}

/** A value that was given, or that a function makes of the state. Only inside a step. */
export function madeOf<T extends Json>(scope: Scope, id: string, given: Given<T>): Promise<T> | T {
  return isFunctionRef(given) ? (call(scope, id, given, scope.memory.view()) as Promise<T> | T) : given.value;
}

export async function textOf(scope: Scope, id: string, role: string, given: Given<string>): Promise<string> {
  const text: unknown = await madeOf(scope, id, given);
  if (typeof text === "string") return text;
  throw new TypeError(
    `"${role}" of the node "${id}" gave ${text === null ? "null" : `a ${typeof text}`} instead of text.`,
  );
}

/** A failure of a node that is not one of a step. What it follows from is in the journal, so it comes again. */
export function failure(path: string, name: string, message: string): StepFailedError {
  return new StepFailedError(path, { name, message, key: path }, 1);
}
