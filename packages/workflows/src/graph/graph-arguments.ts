// The types of a run's input, from what the workflow's arguments declare.
import type { ArgumentJson, ArgumentsJson } from "../entities/workflow-arguments.ts";
import type { Json } from "../run/json.ts";

/** A run's input. Switches, and arguments that are required or have a default, are always present. */
export type ArgumentsInput<A extends ArgumentsJson> = keyof A extends never
  ? Json
  : Flat<
      { readonly [K in keyof A as A[K] extends Sure ? K : never]: ValueOf<A[K]> } & {
        readonly [K in keyof A as A[K] extends Sure ? never : K]?: ValueOf<A[K]>;
      }
    >;

/** The same as you give it: switches and what has a default may be left out. */
export type GivenArguments<A extends ArgumentsJson> = {
  readonly [K in keyof A as A[K] extends Needed ? K : never]: ValueOf<A[K]>;
} & { readonly [K in keyof A as A[K] extends Needed ? never : K]?: ValueOf<A[K]> | undefined };

/** Text that is given instead of the arguments is what belongs to no flag. That is enough if nothing else is needed. */
export type GivenText<A extends ArgumentsJson> = {
  readonly [K in keyof A]: A[K]["type"] extends "rest" ? "rest" : A[K] extends Needed ? "needed" : never;
}[keyof A] extends "rest"
  ? RestOf<A>
  : never;

type RestOf<A extends ArgumentsJson> = {
  readonly [K in keyof A]: A[K]["type"] extends "rest" ? string : never;
}[keyof A];
/** The same keys in one object, which editors and errors show as such. */
export type Flat<T> = T extends infer U ? { [K in keyof U]: U[K] } : never;

type Sure = { readonly type: "boolean" } | { readonly required: true } | Defaulted;
type Defaulted = { readonly default: string | number };
type Needed = { readonly required: true; readonly default?: undefined };
type ValueOf<J extends ArgumentJson> = J["type"] extends "number"
  ? number
  : J["type"] extends "boolean"
    ? boolean
    : string;
