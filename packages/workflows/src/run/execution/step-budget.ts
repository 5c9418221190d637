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

/** What one step may use up over all its attempts, and what it has. */
export class StepBudget {
  readonly #limits: Budget;
  #spent: Spent;
  /** How long the attempt of the moment, or the last one, has been at work. */
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

  /** The failure of a step that has spent more than it may. */
  spend(usage: Usage): PermanentError | undefined {
    this.#spent = addUsage(this.#spent, usage);
    const exceeded = overspent(this.#limits, this.#spent);
    return exceeded && failure(exceeded);
  }

  outOfTime(): PermanentError {
    const { wallMs = 0 } = this.#limits;
    return failure({ limit: "wallMs", allowed: wallMs, spent: wallMs });
  }

  /** The failure of a step that nothing is left for another attempt of. `thrown`: by the last one. */
  usedUp(thrown?: unknown): PermanentError | undefined {
    const exceeded = usedUp(this.#limits, this.#spent);
    return exceeded && failure(exceeded, thrown);
  }
}

function failure(exceeded: Exceeded, thrown?: unknown): PermanentError {
  const { limit, allowed, spent } = exceeded;
  const what = limit === "steps" ? `${spent} of ${allowed} attempts are used up` : describeExceeded(exceeded);
  const last = thrown === undefined ? "" : `; the last attempt failed: ${recordError(thrown).message}`;
  return new PermanentError(`the step's budget: ${what}${last}`, { code: "budget", cause: thrown });
}
