// Checks the options of calls. A timer set to NaN fires at once, a journal stores it as `null`, and no comparison with it is
// true, so anything that is not a number is refused before anything is written.
import { checkBudget } from "../budget.ts";
import type { StepOptions } from "../run-ctx.ts";
import { RunError } from "../run-error.ts";

/** Every step is checked, and most have few options or none. */
export function checkStepOptions(key: string, options: StepOptions): void {
  const { retries, timeoutMs, idleMs, backoff, budget } = options;
  checkFrom(0, key, "retries", retries);
  checkFrom(0, key, "timeoutMs", timeoutMs);
  checkFrom(0, key, "idleMs", idleMs);
  if (backoff !== undefined) {
    for (const name of ["ms", "factor", "maxMs"] as const) checkFrom(0, key, `backoff.${name}`, backoff[name]);
  }
  if (budget !== undefined) checkBudget(budget, key);
}

/** Refuses anything but `undefined` or a number from `least`. */
export function checkFrom(least: 0 | 1, key: string, name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === "number" && value >= least)) return;
  refuse(key, name, value, `a number that is at least ${least}`);
}

/** Refuses a time that cannot be journaled. A negative time is over at once. */
export function checkTime(key: string, name: string, value: number): void {
  if (!Number.isFinite(value)) refuse(key, name, value, "a number of milliseconds");
}

function refuse(key: string, name: string, value: unknown, wanted: string): never {
  const given = typeof value === "number" ? String(value) : JSON.stringify(value);
  throw new RunError("bad-request", { message: `"${name}" in "${key}" is ${given}, but must be ${wanted}`, at: key });
}
