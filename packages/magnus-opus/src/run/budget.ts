// What a run may cost, and whether it has. Pure.
import { formatDuration } from "@atomic/terminal/count";
import * as z from "zod/mini";
import type { PhaseName } from "./phase-name.ts";

const amount = z.optional(z.number().check(z.gte(0)));

/** An omitted limit means no limit. */
export const limits = z.object({ usd: amount, tokens: amount, ms: amount, sessions: amount, depth: amount });
export type Limits = z.infer<typeof limits>;

/** `ms`: the agents' working time; waiting for a person does not count. */
export interface Spending {
  readonly usd: number;
  readonly tokens: number;
  readonly ms: number;
  readonly sessions: number;
}

/** A longer gap between events does not count as work. */
export const longestWork: number = 15 * 60_000;

export const nothingSpent: Spending = { usd: 0, tokens: 0, ms: 0, sessions: 0 };

export interface RunBudget {
  readonly run: Limits;
  readonly phases: Partial<Record<PhaseName, Limits>>;
}

/** What a run and each of its phases have cost. */
export interface RunSpending {
  readonly run: Spending;
  readonly phases: Partial<Record<PhaseName, Spending>>;
}

export interface ExceededLimit {
  readonly of: "run" | PhaseName;
  readonly limit: keyof Spending;
  readonly allowed: number;
  readonly spent: number;
}

/** The first limit that is used up. Sessions count only if another one is wanted; `moreMs`: time since the last event. */
export function exceeded(
  { phase, budget, spent }: { readonly phase: PhaseName; readonly budget: RunBudget; readonly spent: RunSpending },
  wantsSession: boolean,
  moreMs = 0,
): ExceededLimit | undefined {
  const scopes = [
    { of: "run", allowed: budget.run, before: spent.run },
    { of: phase, allowed: budget.phases[phase] ?? {}, before: spent.phases[phase] ?? nothingSpent },
  ] as const;
  for (const { of, allowed, before } of scopes) {
    const now = { ...before, ms: before.ms + moreMs };
    for (const limit of ["usd", "tokens", "ms", "sessions"] as const) {
      const most = allowed[limit];
      if (most === undefined || (limit === "sessions" && !wantsSession)) continue;
      // A budget of $0 allows free models.
      const isUsedUp = limit === "usd" && most === 0 ? now.usd > 0 : now[limit] >= most;
      if (isUsedUp) return { of, limit, allowed: most, spent: now[limit] };
    }
  }
  return undefined;
}

/** Applies only limits that are higher than before: nothing lowers a limit. */
export function raised(old: Limits, by: Limits): Limits {
  const next = { ...old };
  for (const limit of ["usd", "tokens", "ms", "sessions", "depth"] as const) {
    const most = by[limit];
    if (most !== undefined && most > (old[limit] ?? Number.POSITIVE_INFINITY)) next[limit] = most;
  }
  return next;
}

export function exceededText({ of, limit, allowed, spent }: ExceededLimit): string {
  const whose = of === "run" ? "the run" : `the ${of} phase`;
  if (limit === "usd") return `${whose} has spent $${spent.toFixed(2)} of $${allowed.toFixed(2)}`;
  if (limit === "ms") return `${whose} has used ${formatDuration(spent)} of ${formatDuration(allowed)} of working time`;
  return `${whose} has used ${spent} of ${allowed} ${limit}`;
}
