// A graph's state: keys that nodes read and update. A reducer says how updates apply, including several at a time from
// parallel branches.

import type { ArgumentsJson } from "../entities/workflow-arguments.ts";
import type { Json } from "../run/json.ts";
import type { ErrorRecord } from "../run/step-errors.ts";
import type { ArgumentsInput, Flat, GivenArguments, GivenText } from "./graph-arguments.ts";
import type { ReducerName } from "./graph-json.ts";

/** What the interpreter adds to a graph's declared state. */
export interface BaseState {
  /** The run's input. */
  readonly input: Json;
  /** The last output of each node, by its id. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** What went wrong, for nodes that handle errors. `key` is the failed node. */
  readonly error?: ErrorRecord;
  /** The innermost loop's iteration, from 1. */
  readonly iteration?: number;
  /** The task that the enclosing task loop is working on. */
  readonly currentTask?: LoopTask;
}

/**
 * What the functions after some nodes see: their outputs as well. One that may be missing, because its node is in an `if`, is
 * optional.
 */
export type StateAfter<S, Said> = unknown extends S
  ? S
  : [keyof Said] extends [never]
    ? S
    : Omit<S, "outputs"> & {
        readonly outputs: (S extends { readonly outputs: infer Before } ? Before : unknown) & Said;
      };

/** A state with outputs of nodes that its type does not know: later ones in a loop, or earlier ones in a list. */
export type AnyOutputs<S> = S extends { readonly outputs: infer Known }
  ? Omit<S, "outputs"> & { readonly outputs: Known & BaseState["outputs"] }
  : S;

/** What a node leaves behind: nothing that is known without an id of its own, and anything if only the program knows its id. */
export type SaidAs<Id extends string, Output> = string extends Id ? SaidByAny : { readonly [Key in Id]: Kept<Output> };

/** What unknown nodes leave behind. */
export type SaidByAny = BaseState["outputs"];

/** Outputs of nodes that may not have run. */
export type Perhaps<Said> = string extends keyof Said ? SaidByAny : { readonly [Id in keyof Said]?: Said[Id] };

/** An output as later nodes find it: data. Its interfaces become plain objects, which are JSON to the compiler. */
export type Kept<Output> = unknown extends Output
  ? Json
  : Output extends Json
    ? Output
    : Output extends readonly (infer Item)[]
      ? readonly Kept<Item>[]
      : Output extends object
        ? { readonly [Key in keyof Output]: Kept<ValueAt<Output, Key>> }
        : // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing.
          Output extends undefined | void
          ? null
          : Json;

/** An optional key without a value is left out of JSON; it does not become `null`. */
type ValueAt<T, Key extends keyof T> = Pick<Partial<T>, Key> extends Pick<T, Key> ? Exclude<T[Key], undefined> : T[Key];

/** A type as data, read-only. If JSON cannot hold it, as with a `Date`, a `Map`, a `bigint` or a function, it does not fit. */
export type Data<T> = unknown extends T
  ? T
  : Json extends T
    ? T
    : T extends bigint | symbol | ((...args: never[]) => unknown)
      ? never
      : T extends object
        ? { readonly [Key in keyof T]: Data<T[Key]> }
        : T;

/** A task as a graph sees it; the task loop knows more about it. */
export interface LoopTask {
  readonly id: string;
  readonly [key: string]: Json | undefined;
}

export type Reduce<T> = (current: T, update: T) => T;

/** One key of a state. */
export class Channel<T> {
  readonly initial: T;
  readonly reducer: ReducerName | Reduce<T>;

  constructor(initial: T, reducer: ReducerName | Reduce<T>) {
    this.initial = initial;
    this.reducer = reducer;
  }
}

/** Keys with their initial values, or with channels where an update is not simply the new value. */
export type StateDefinition = Readonly<Record<string, unknown>>;

/** What a graph's functions see, wherever they are. */
// biome-ignore lint/complexity/noBannedTypes: no arguments.
export type StateOf<D extends StateDefinition, A extends ArgumentsJson = {}> = Flat<
  Omit<BaseState, "input"> & {
    /** The run's input. */
    readonly input: ArgumentsInput<A>;
  } & FinalOf<D>
>;

/** The same before any node has run. */
export type FirstState<D extends StateDefinition, A extends ArgumentsJson> = FirstFacts<ArgumentsInput<A>> & FinalOf<D>;

interface FirstFacts<Input> extends Omit<BaseState, "input" | "outputs"> {
  /** The run's input. */
  readonly input: Input;
  /** The last output of each node, by its id. */
  readonly outputs: NoOutputs;
}

// biome-ignore lint/complexity/noBannedTypes: an object in which nothing is known.
export type NoOutputs = {};

/** A graph's state when it has ended. */
export type FinalOf<D extends StateDefinition> = {
  readonly [K in keyof D]: D[K] extends Channel<infer T> ? T : D[K];
};

/** What a graph takes as its input: its arguments, and initial values for its state. */
export type InputOf<D extends StateDefinition, A extends ArgumentsJson> = keyof A extends never
  ? keyof D extends never
    ? Json
    : null | boolean | number | string | readonly Json[] | InitialOf<D>
  : Flat<GivenArguments<A> & InitialOf<D>> | GivenText<A>;

type InitialOf<D extends StateDefinition> = { readonly [K in keyof D]?: Data<FinalOf<D>[K]> | undefined };

/** The same of any graph: if its type is not known, any. */
export type InputFor<Input> = [Input] extends [never] ? Json : Input;

/** Whether a graph that takes `Input` can begin with what is `Given`. Keys that it does not know do not matter. */
export type BeginsWith<Given, Input> = [Input] extends [never]
  ? true
  : Pick<Given, keyof Given & keyof KeyedInput<Input>> extends KeyedInput<Input>
    ? true
    : false;

type KeyedInput<Input> = Exclude<Input, string | number | boolean | null | readonly unknown[]>;

/** What a graph's functions may change. */
export type UpdateOf<S> = { readonly [Key in Exclude<keyof S, keyof BaseState>]?: S[Key] };

/** The keys that can take an output: as their value, or as one more item of their list. */
export type KeyFor<S, Output> = [FittingKey<S, Output>] extends [never]
  ? "no key of the state takes this output"
  : FittingKey<S, Output>;

type FittingKey<S, Output> = {
  [K in keyof UpdateOf<S>]-?: [Output] extends [UpdateOf<S>[K]]
    ? K
    : UpdateOf<S>[K] extends readonly (infer Item)[] | undefined
      ? [Output] extends [Item]
        ? K
        : never
      : never;
}[keyof UpdateOf<S>] &
  string;

export type KeyOf<S> = keyof UpdateOf<S> & string;

/** What a key can take: its value, or one more item of its list. Anything without a key. */
export type TakenBy<S, Key> = [Key] extends [never]
  ? unknown
  : Key extends keyof UpdateOf<S>
    ? Exclude<UpdateOf<S>[Key], undefined> | ItemOf<UpdateOf<S>[Key]>
    : unknown;

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never;

/**
 * The newest value counts, as for a plain initial value. For keys whose type the initial value does not show.
 *
 * @example
 * graph({ name: "review", state: { verdict: last<"pass" | "fail" | null>(null) } });
 */
export function last<T>(initial: T): Channel<T> {
  return new Channel(initial, "last");
}

/**
 * A list that updates are added to, at the same cost however long it is. Functions see it as a frozen proxy, which is a list
 * in every respect, except that `structuredClone` only takes a copy, such as `[...list]`.
 */
export function append<T>(initial: readonly T[] = []): Channel<readonly T[]> {
  return new Channel(initial, "append");
}

/** An object whose keys updates set. */
export function merge<T extends object>(initial: T): Channel<T> {
  return new Channel(initial, "merge");
}

export function sum(initial: number = 0): Channel<number> {
  return new Channel(initial, "sum");
}

export function max(initial: number = Number.MIN_SAFE_INTEGER): Channel<number> {
  return new Channel(initial, "max");
}

/** Your own reducer. It must not change its arguments, and may be called again until its result is recorded. */
export function reduced<T>(initial: T, reduce: Reduce<T>): Channel<T> {
  return new Channel(initial, reduce);
}
