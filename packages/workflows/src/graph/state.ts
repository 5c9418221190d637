// The state of a graph: keys that nodes read and update. A reducer says what becomes of an update, and so also of several
// at a time, from parallel branches.

import type { Json } from "../run/json.ts";
import type { ErrorRecord } from "../run/step-errors.ts";
import type { ArgumentsInput, ArgumentsJson } from "./graph-arguments.ts";
import type { ReducerName } from "./graph-json.ts";

/** What the interpreter adds to the state that a graph declares. */
export interface BaseState {
  /** What the run was started with. */
  readonly input: Json;
  /** The last output of each node, by its id. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** What went wrong, for those who handle it. `key` is the node. */
  readonly error?: ErrorRecord;
  /** Of the innermost loop around, from 1. */
  readonly iteration?: number;
  /** What the task loop around is at. */
  readonly currentTask?: LoopTask;
}

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

/** Keys with their first values, or with channels where an update is not simply the new value. */
export type StateDefinition = Readonly<Record<string, unknown>>;

/** What functions of the graph get to see. */
// biome-ignore lint/complexity/noBannedTypes: no arguments.
export type StateOf<D extends StateDefinition, A extends ArgumentsJson = {}> = Omit<BaseState, "input"> & {
  /** What the run was started with. */
  readonly input: ArgumentsInput<A>;
} & { readonly [K in keyof D]: D[K] extends Channel<infer T> ? T : D[K] };

/** What they may change. */
export type UpdateOf<S> = Partial<Omit<S, keyof BaseState>>;

/**
 * The newest value counts, as for a plain first value; for values whose type the first one does not show.
 *
 * @example
 * graph({ name: "review", state: { verdict: last<"pass" | "fail" | null>(null) } });
 */
export function last<T>(initial: T): Channel<T> {
  return new Channel(initial, "last");
}

/**
 * A list that updates are added to. To add costs the same however long it is, so functions see it as a proxy: frozen, and a
 * list in every respect, but `structuredClone` takes only a copy of it, as `[...list]`.
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

/** A reducer of one's own. It must not change what it is given, and is called again only before its result is written. */
export function reduced<T>(initial: T, reduce: Reduce<T>): Channel<T> {
  return new Channel(initial, reduce);
}
