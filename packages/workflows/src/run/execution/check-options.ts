// What a program may ask for. A timer that is set to NaN rings at once, a journal has `null` in its place, and a comparison
// with it never holds: what is not a number is refused before anything is written.
import { checkBudget } from "../budget.ts";
import type { StepOptions } from "../run-ctx.ts";
import { RunError } from "../run-error.ts";

/** Most steps have few options or none, and this is asked of each. */
export function checkStepOptions(key: string, options: StepOptions): void {
  const { retries, timeoutMs, idleMs, backoff, budget } = options;
  checkFrom(0, key, "retries", retries);
  checkFrom(0, key, "timeoutMs", timeoutMs);
  checkFrom(0, key, "idleMs", idleMs);
  if (backoff !== undefined) {
    for (const name of ["ms", "factor", "maxMs"] as const) checkFrom(0, key, `backoff.${name}`, backoff[name]);
  }
  if (budget === undefined) return;
  try {
    checkBudget(budget);
  } catch (cause) {
    throw new RunError("bad-request", { message: (cause as Error).message, at: key, cause });
  }
}

/** Refuses anything but a number from `least`, or nothing. */
export function checkFrom(least: 0 | 1, key: string, name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === "number" && value >= least)) return;
  refuse(key, name, value, `a number from ${least}`);
}

/** A time that is journaled. One that is over is none to wait for. */
export function checkTime(key: string, name: string, value: number): void {
  if (!Number.isFinite(value)) refuse(key, name, value, "a number of milliseconds");
}

function refuse(key: string, name: string, value: unknown, wanted: string): never {
  const given = typeof value === "number" ? String(value) : JSON.stringify(value);
  throw new RunError("bad-request", { message: `"${name}" of "${key}" is ${given}, but takes ${wanted}`, at: key });
}
