// What a program may ask for. A timer that is set to NaN rings at once, a journal has `null` in its place, and a comparison
// with it never holds: what is not a number is refused before anything is written.
import { checkBudget } from "../budget.ts";
import type { ForkOptions, StepOptions } from "../run-ctx.ts";
import { RunError } from "../run-error.ts";

/** Most steps have few options or none, and this is asked of each. */
export function checkStepOptions(key: string, options: StepOptions): void {
  const { retries, timeoutMs, idleMs, backoff, budget } = options;
  if (retries !== undefined) checkFromZero(key, "retries", retries);
  if (timeoutMs !== undefined) checkFromZero(key, "timeoutMs", timeoutMs);
  if (idleMs !== undefined) checkFromZero(key, "idleMs", idleMs);
  if (backoff !== undefined) {
    for (const name of ["ms", "factor", "maxMs"] as const) {
      const value = backoff[name];
      if (value !== undefined) checkFromZero(key, `backoff.${name}`, value);
    }
  }
  if (budget === undefined) return;
  try {
    checkBudget(budget);
  } catch (cause) {
    throw new RunError("bad-request", { message: (cause as Error).message, at: key, cause });
  }
}

export function checkForkOptions(key: string, { limit }: ForkOptions): void {
  if (limit === undefined || (typeof limit === "number" && limit >= 1)) return;
  refuse(key, "limit", limit, "a number from 1");
}

/** A time that is journaled. One that is over is none to wait for. */
export function checkTime(key: string, name: string, value: number): void {
  if (!Number.isFinite(value)) refuse(key, name, value, "a number of milliseconds");
}

function checkFromZero(key: string, name: string, value: number): void {
  if (typeof value !== "number" || !(value >= 0)) refuse(key, name, value, "a number from 0");
}

function refuse(key: string, name: string, value: unknown, wanted: string): never {
  const given = typeof value === "number" ? String(value) : JSON.stringify(value);
  throw new RunError("bad-request", { message: `"${name}" of "${key}" is ${given}, but takes ${wanted}`, at: key });
}
