// The type of a run's input, from what the workflow's arguments declare.
import type { ArgumentJson, ArgumentsJson } from "../entities/workflow-arguments.ts";
import type { Json } from "../run/json.ts";

/** A run's input. Switches, and arguments that are required or have a default, are always present. */
export type ArgumentsInput<A extends ArgumentsJson> = keyof A extends never
  ? Json
  : { readonly [K in keyof A as A[K] extends Sure ? K : never]: ValueOf<A[K]> } & {
      readonly [K in keyof A as A[K] extends Sure ? never : K]?: ValueOf<A[K]>;
    };

type Sure = { readonly type: "boolean" } | { readonly required: true } | { readonly default: string | number };
type ValueOf<J extends ArgumentJson> = J["type"] extends "number"
  ? number
  : J["type"] extends "boolean"
    ? boolean
    : string;
