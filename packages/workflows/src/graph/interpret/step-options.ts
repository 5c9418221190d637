import { isExplained } from "@atomic/durable-files/explained-error";
import type { StepInfo, StepOptions } from "../../run/run-ctx.ts";
import { PermanentError, RateLimitError, recordError } from "../../run/step-errors.ts";
import type { BudgetJson, RetryJson } from "../graph-json.ts";
import { present } from "../present.ts";
import { call, type Scope } from "./scope.ts";

export interface Trying {
  readonly id: string;
  readonly retry?: RetryJson;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly budget?: BudgetJson;
}

/** Made once for each node: a loop would make them in every turn. */
const made = new WeakMap<Trying, StepOptions>();

export function stepOptions(node: Trying, queue?: "agents"): StepOptions {
  const known = made.get(node);
  if (known !== undefined) return known;
  const options = newOptions(node, queue);
  made.set(node, options);
  return options;
}

function newOptions({ retry, timeoutMs, idleTimeoutMs, budget }: Trying, queue: string | undefined): StepOptions {
  const { maxAttempts = 1, backoffMs, backoffMultiplier, maxBackoffMs } = retry ?? {};
  const backoff = present({ ms: backoffMs, factor: backoffMultiplier, maxMs: maxBackoffMs });
  return { retries: maxAttempts - 1, backoff, ...present({ timeoutMs, idleMs: idleTimeoutMs, budget, queue }) };
}

/** An error that the node does not want another attempt for. Known by its own name. */
class NotRetriedError extends PermanentError {
  override readonly name: string;

  constructor(error: Error) {
    const { code } = error as { code?: unknown };
    const { at, hint } = isExplained(error) ? error : {};
    super(error.message, { cause: error, ...present({ at, hint }), ...(typeof code === "string" && { code }) });
    this.name = error.name;
  }
}

/** The function of a step, with the node's say in whether a failure is worth another attempt. */
export function attempting<T>(
  scope: Scope,
  { id, retry }: Trying,
  fn: (info: StepInfo) => Promise<T> | T,
): (info: StepInfo) => Promise<T> | T {
  const retryOn = retry?.retryOn;
  if (retryOn === undefined) return fn;
  return async (info) => {
    try {
      return await fn(info);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(recordError(thrown).message);
      if (error instanceof RateLimitError || (await call(scope, id, retryOn, error))) throw error;
      throw new NotRetriedError(error);
    }
  };
}
