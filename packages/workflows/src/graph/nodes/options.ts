// Options that several kinds of nodes share, and how they become data.

import type { Action } from "../../permission/rules.ts";
import type { Budget } from "../../run/budget.ts";
import type { Json } from "../../run/json.ts";
import type { ActingJson, BudgetJson, PromptingJson, RetryJson } from "../graph-json.ts";
import type { Assembler, InnerNodes } from "../node-definition.ts";
import { present } from "../present.ts";
import type { UpdateOf } from "../state.ts";

/** A value, or a function that makes it of the state. Called inside a journaled step, so what it gives is kept. */
export type Made<S, T> = T | ((state: S) => T | Promise<T>);

export interface NodeOptions {
  /** Unique in the graph: letters, digits, `-` and `_`. */
  readonly id?: string | undefined;
  readonly description?: string | undefined;
}

export interface ActingOptions<S, Output = Json> extends NodeOptions {
  /** The key of the state that takes the output; a list takes it as one more item. */
  readonly into?: (keyof UpdateOf<S> & string) | undefined;
  /** Makes an update of the state from the output. */
  readonly output?: ((output: Output, state: S) => UpdateOf<S> | Promise<UpdateOf<S>>) | undefined;
  /** After the last attempt: `continue`, or nodes that handle it, which see `state.error`. Default: the graph fails. */
  readonly onError?: "continue" | InnerNodes<S> | undefined;
}

export interface TryingOptions {
  readonly retry?: RetryOptions | undefined;
  /** Longest time of one attempt. */
  readonly timeoutMs?: number | undefined;
  /** Longest time of one attempt without a sign of life. */
  readonly idleTimeoutMs?: number | undefined;
  /** What all attempts together may use up; `steps` are the attempts. Used up, the node fails. */
  readonly budget?: Budget | undefined;
}

interface RetryOptions {
  /** All attempts, with the first. */
  readonly maxAttempts: number;
  /** Before the second attempt. Default 1,000. */
  readonly backoffMs?: number | undefined;
  /** Default 2. */
  readonly backoffMultiplier?: number | undefined;
  /** Default 60,000. */
  readonly maxBackoffMs?: number | undefined;
  /** Whether an error is worth another attempt. Default: each is. */
  readonly retryOn?: ((error: Error) => boolean) | undefined;
}

export interface PromptingOptions<S> extends ActingOptions<S, string>, TryingOptions {
  /** Who executes the prompt. Default: whoever runs the graph. */
  readonly host?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  /** What to say when the host asks whether it may: one answer for all, or one a tool. */
  readonly permissions?: Action | Readonly<Record<string, Action>> | undefined;
  /** Nodes that name the same session continue one conversation. */
  readonly session?: string | undefined;
}

export function acting<S, Output>(id: string, options: ActingOptions<S, Output>, assembler: Assembler): ActingJson {
  const { description, into, output, onError } = options;
  return present({
    id,
    description,
    into,
    output: output && assembler.fn(id, "output", output),
    onError: onError === undefined || onError === "continue" ? onError : assembler.nodes(onError),
  });
}

export function trying(
  id: string,
  { retry, timeoutMs, idleTimeoutMs, budget }: TryingOptions,
  assembler: Assembler,
): { retry?: RetryJson; timeoutMs?: number; idleTimeoutMs?: number; budget?: BudgetJson } {
  return present({ retry: retry && retrying(id, retry, assembler), timeoutMs, idleTimeoutMs, budget });
}

function retrying(id: string, { retryOn, ...rest }: RetryOptions, assembler: Assembler): RetryJson {
  return present({ ...rest, retryOn: retryOn && assembler.fn(id, "retryOn", retryOn) });
}

export function prompting<S>(id: string, options: PromptingOptions<S>, assembler: Assembler): PromptingJson {
  const { host, model, tools, permissions, session } = options;
  return {
    ...acting(id, options, assembler),
    ...trying(id, options, assembler),
    ...present({ host, model, tools, permissions, session }),
  };
}

/** A name as a part of an id: `sub/Review: all` becomes `sub-Review-all`. */
export function idOf(kind: string, name: string): string {
  return `${kind}-${name.replace(/[^A-Za-z0-9_]+/g, "-").replace(/^-|-$/g, "")}`;
}
