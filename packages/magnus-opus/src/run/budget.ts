// What a run may cost, and whether it has. Pure.
import * as z from "zod/mini";
import type { PhaseName } from "./phase-name.ts";

const amount = z.optional(z.number().check(z.gte(0)));

/** What is not named has no limit. */
export const limits = z.object({ usd: amount, tokens: amount, ms: amount, sessions: amount, depth: amount });
export type Limits = z.infer<typeof limits>;

/** `ms`: time in which the agents worked; to wait for a person costs nothing. */
export interface Spent {
  readonly usd: number;
  readonly tokens: number;
  readonly ms: number;
  readonly sessions: number;
}

export const nothingSpent: Spent = { usd: 0, tokens: 0, ms: 0, sessions: 0 };

export interface Budget {
  readonly run: Limits;
  readonly phases: Partial<Record<PhaseName, Limits>>;
}

export interface Exceeded {
  readonly of: "run" | PhaseName;
  readonly limit: keyof Spent;
  readonly allowed: number;
  readonly spent: number;
}

/** The first limit that is used up. Sessions count only for whoever wants one more. */
export function usedUp(of: Exceeded["of"], allowed: Limits, spent: Spent, wantsSession: boolean): Exceeded | undefined {
  for (const limit of ["usd", "tokens", "ms", "sessions"] as const) {
    if (limit === "sessions" && !wantsSession) continue;
    const most = allowed[limit];
    if (most !== undefined && spent[limit] >= most) return { of, limit, allowed: most, spent: spent[limit] };
  }
  return undefined;
}

/** Only what is named and higher than before: a person raises, nothing lowers. */
export function raised(old: Limits, by: Limits): Limits {
  const next = { ...old };
  for (const limit of ["usd", "tokens", "ms", "sessions", "depth"] as const) {
    const most = by[limit];
    if (most !== undefined && most > (old[limit] ?? Number.POSITIVE_INFINITY)) next[limit] = most;
  }
  return next;
}

export function exceededText({ of, limit, allowed, spent }: Exceeded): string {
  const whose = of === "run" ? "the run" : `the phase ${of}`;
  if (limit === "usd") return `${whose} has spent $${spent.toFixed(2)} of $${allowed.toFixed(2)}`;
  if (limit === "ms") return `${whose} has worked ${minutes(spent)} of ${minutes(allowed)} minutes`;
  return `${whose} has used ${spent} of ${allowed} ${limit}`;
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}
