// What a run may cost, and what it has cost. Pure.
import { count } from "@atomic/terminal/count";
import { RunError } from "./run-error.ts";

/** The limits of a run or a step. What is not named has no limit. */
export interface Budget {
  readonly usd?: number;
  /** Input and output together. */
  readonly tokens?: number;
  /** Time during which at least one step runs. Waiting for an answer does not count. */
  readonly wallMs?: number;
  /** Attempts at steps, without local steps. */
  readonly steps?: number;
}

/** What a step has used since its last report. */
export interface Usage {
  readonly usd?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export interface Spent {
  readonly usd: number;
  readonly tokens: number;
  readonly wallMs: number;
  readonly steps: number;
}

export type Exceeded = { readonly limit: keyof Budget; readonly allowed: number; readonly spent: number };

export const nothingSpent: Spent = { usd: 0, tokens: 0, wallMs: 0, steps: 0 };

const limits: readonly (keyof Budget)[] = ["usd", "tokens", "wallMs", "steps"];

/** Refuses impossible amounts: they would hide that a limit is reached. */
export function checkUsage(usage: Usage): Usage {
  for (const [name, value] of Object.entries(usage) as [string, unknown][]) {
    if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0)) continue;
    throw new TypeError(`A step reported that it spent ${value} (${name}); expected a non-negative number.`);
  }
  return usage;
}

export function addUsage(spent: Spent, usage: Usage): Spent {
  const { usd = 0, inputTokens = 0, outputTokens = 0 } = usage;
  return { ...spent, usd: spent.usd + usd, tokens: spent.tokens + inputTokens + outputTokens };
}

/** Adds an attempt to what a step has spent. In a step's budget, `steps` are its attempts. */
export function addAttempt(spent: Spent = nothingSpent, ms: number): Spent {
  return { ...spent, steps: spent.steps + 1, wallMs: spent.wallMs + ms };
}

/** The first limit that is used up: then no further step starts. */
export function usedUp(budget: Budget, spent: Spent): Exceeded | undefined {
  for (const limit of limits) {
    const allowed = budget[limit];
    if (allowed !== undefined && spent[limit] >= allowed) return { limit, allowed, spent: spent[limit] };
  }
  return undefined;
}

/** The first limit that is exceeded: then even running steps end. */
export function overspent(budget: Budget, spent: Spent): Exceeded | undefined {
  for (const limit of limits) {
    const allowed = budget[limit];
    // Running steps were allowed to start.
    if (limit === "steps" || allowed === undefined || spent[limit] <= allowed) continue;
    return { limit, allowed, spent: spent[limit] };
  }
  return undefined;
}

/** A budget from a journal. JSON has no Infinity: an older version wrote `null` and meant no limit. */
export function keptLimits(budget: Budget): Budget {
  return Object.fromEntries(Object.entries(budget).filter(([, value]) => typeof value === "number"));
}

/** Refuses limits that are not numbers, which would never be reached, and Infinity, which cannot be journaled. */
export function checkBudget(budget: Budget, at?: string): Budget {
  for (const [name, value] of Object.entries(budget)) {
    const isLimit = limits.includes(name as keyof Budget);
    if (isLimit && typeof value === "number" && Number.isFinite(value) && value >= 0) continue;
    const hint = value === Number.POSITIVE_INFINITY ? " Leave it out for no limit." : "";
    const message = isLimit
      ? `The budget limit "${name}" is ${value}; expected a non-negative number.${hint}`
      : `Unknown budget limit "${name}". Known limits: ${limits.join(", ")}.`;
    throw new RunError("bad-request", { message, at });
  }
  return budget;
}

/** `2 of 2 steps used`. */
export function describeExceeded({ limit, allowed, spent }: Exceeded): string {
  if (limit === "usd") return `$${spent.toFixed(2)} of $${allowed.toFixed(2)} used`;
  if (limit === "wallMs") return `${time(spent)} of ${time(allowed)} of work used`;
  return `${spent} of ${count(allowed, limit.slice(0, -1))} used`;
}

function time(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(0)} s`;
}
