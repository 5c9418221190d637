import type { ArgumentsJson } from "./graph-arguments.ts";
import type { Assembled } from "./node-definition.ts";

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
