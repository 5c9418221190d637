import { count } from "@atomic/terminal/count";
import {
  addUsage,
  type Budget,
  describeExceeded,
  type Exceeded,
  nothingSpent,
  overspent,
  type Spent,
  type Usage,
  usedUp,
} from "../budget.ts";
import { PermanentError, recordError } from "../step-errors.ts";

/** What one step may use in all its attempts, and what it has used. */
export class StepBudget {
  readonly #limits: Budget;
  #spent: Spent;
  /** How long the current attempt, or the last one, has been at work. */
  #attemptMs = 0;

  /** `spent`: by the attempts in the journal. */
  constructor(limits: Budget, spent: Spent = nothingSpent) {
    this.#limits = limits;
    this.#spent = spent;
  }

  /** Undefined without a limit. */
  get msLeft(): number | undefined {
    const { wallMs } = this.#limits;
    return wallMs === undefined ? undefined : wallMs - this.#spent.wallMs;
  }

  get attemptMs(): number {
    return this.#attemptMs;
  }

  begin(): void {
    this.#attemptMs = 0;
    this.#spent = { ...this.#spent, steps: this.#spent.steps + 1 };
  }

  work(ms: number): void {
    this.#attemptMs += ms;
    this.#spent = { ...this.#spent, wallMs: this.#spent.wallMs + ms };
  }

  /** Returns the step's failure if it has spent more than it may. */
  spend(usage: Usage): PermanentError | undefined {
    this.#spent = addUsage(this.#spent, usage);
    const exceeded = overspent(this.#limits, this.#spent);
    return exceeded && failure(exceeded);
  }

  outOfTime(): PermanentError {
    const { wallMs = 0 } = this.#limits;
    return failure({ limit: "wallMs", allowed: wallMs, spent: wallMs });
  }

  /** Returns the step's failure if nothing is left for another attempt. The last attempt threw `thrown`. */
  usedUp(thrown?: unknown): PermanentError | undefined {
    const exceeded = usedUp(this.#limits, this.#spent);
    return exceeded && failure(exceeded, thrown);
  }
}

function failure(exceeded: Exceeded, thrown?: unknown): PermanentError {
  const { limit, allowed, spent } = exceeded;
  const what = limit === "steps" ? `${spent} of ${count(allowed, "attempt")} used` : describeExceeded(exceeded);
  const last = thrown === undefined ? "" : `; the last attempt failed: ${recordError(thrown).message}`;
  return new PermanentError(`the step's budget: ${what}${last}`, { code: "budget", cause: thrown });
}
