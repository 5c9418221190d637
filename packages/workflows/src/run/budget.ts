// What a run may cost, and whether it has. Pure.

/** Limits of a run, or of a step. What is not named has no limit. */
export interface Budget {
  readonly usd?: number;
  /** Input and output together. */
  readonly tokens?: number;
  /** Time during which at least one step runs: to wait for a person costs nothing. */
  readonly wallMs?: number;
  /** Attempts at steps, without those that stay inside this process. */
  readonly steps?: number;
}

/** What a step says it has used up since it last said so. */
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

/** Refuses what cannot have been spent: added to the rest it would hide that a limit is reached. */
export function checkUsage(usage: Usage): Usage {
  for (const [name, value] of Object.entries(usage) as [string, unknown][]) {
    if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0)) continue;
    throw new TypeError(`A step reported that it spent ${value} (${name}); expected a number from 0.`);
  }
  return usage;
}

export function addUsage(spent: Spent, usage: Usage): Spent {
  const { usd = 0, inputTokens = 0, outputTokens = 0 } = usage;
  return { ...spent, usd: spent.usd + usd, tokens: spent.tokens + inputTokens + outputTokens };
}

/** For the budget of a step, whose attempts are what it has of steps. */
export function addAttempt(spent: Spent = nothingSpent, ms: number): Spent {
  return { ...spent, steps: spent.steps + 1, wallMs: spent.wallMs + ms };
}

/** The first limit that is used up. A limit is what may be spent: the step that would come after it does not start. */
export function usedUp(budget: Budget, spent: Spent): Exceeded | undefined {
  for (const limit of limits) {
    const allowed = budget[limit];
    if (allowed !== undefined && spent[limit] >= allowed) return { limit, allowed, spent: spent[limit] };
  }
  return undefined;
}

/** The first limit that is passed: reason to end even what is running. */
export function overspent(budget: Budget, spent: Spent): Exceeded | undefined {
  for (const limit of limits) {
    const allowed = budget[limit];
    // Steps that run were allowed to begin.
    if (limit === "steps" || allowed === undefined || spent[limit] <= allowed) continue;
    return { limit, allowed, spent: spent[limit] };
  }
  return undefined;
}

/** A budget as a journal has it. JSON knows no Infinity: a version that took it has written `null`, and meant no limit. */
export function keptLimits(budget: Budget): Budget {
  return Object.fromEntries(Object.entries(budget).filter(([, value]) => typeof value === "number"));
}

/** Refuses what no budget can be: a limit that is not a number would never be reached, and Infinity cannot be journaled. */
export function checkBudget(budget: Budget): Budget {
  for (const [name, value] of Object.entries(budget)) {
    if (!limits.includes(name as keyof Budget)) {
      throw new TypeError(`A budget has no limit "${name}", only ${limits.join(", ")}.`);
    }
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
      const hint = value === Number.POSITIVE_INFINITY ? " For no limit, leave it out." : "";
      throw new TypeError(`The budget limit "${name}" is ${value}; expected a number from 0.${hint}`);
    }
  }
  return budget;
}

const units: Record<keyof Budget, (value: number) => string> = {
  usd: (value) => `$${value.toFixed(2)}`,
  tokens: (value) => `${value} tokens`,
  wallMs: (value) => (value < 1000 ? `${Math.round(value)} ms of work` : `${(value / 1000).toFixed(0)} s of work`),
  steps: (value) => `${value} steps`,
};

export function describeExceeded({ limit, allowed, spent }: Exceeded): string {
  return `${units[limit](spent)} of ${units[limit](allowed)} are used up`;
}
