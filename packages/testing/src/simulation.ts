// Runs a scenario under many schedules, each of them chosen by a seed, and says which seed broke it.
import { quiet } from "./simulation/clock.ts";
import { listedRandom, seededRandom } from "./simulation/random.ts";
import { createWorld, type World } from "./simulation/world.ts";

type Scenario = (world: World) => Promise<void>;

export interface SimulationOptions {
  /** The first seed; each further run takes the next number. Default 1, so that every machine runs the same. */
  readonly seed?: number;
  /** How many schedules. Default 100. */
  readonly runs?: number;
  /** A run with more steps than this counts as endless. Default 10,000. */
  readonly steps?: number;
}

const shownSteps = 60;

/** What failed, the seed, and what had happened until then. The error itself is the cause. */
export class SimulationFailure extends Error {
  override readonly name = "SimulationFailure";
  readonly #problem: string;
  readonly #trace: readonly string[];

  constructor(problem: string, trace: readonly string[], hint: string, cause: unknown) {
    const steps = trace.map((line, index) => `${String(index + 1).padStart(5)} ${line}`);
    const hidden = Math.max(0, steps.length - shownSteps);
    const schedule = [...(hidden > 0 ? [`    … after ${hidden} other steps`] : []), ...steps.slice(hidden)];
    super([problem, "", "The schedule:", ...schedule, "", hint].join("\n"), { cause });
    this.#problem = problem;
    this.#trace = trace;
  }

  get problem(): string {
    return this.#problem;
  }

  /** Every step, also those that the message leaves out. */
  get trace(): readonly string[] {
    return this.#trace;
  }
}

/**
 * Runs the scenario under many schedules. `SIMULATION_SEED=…` replays a single one, `SIMULATION_RUNS=…` runs more.
 *
 * @example
 * await simulate({ runs: 1000 }, async (world) => {
 *   const tasks = new Tasks({ clock: world.clock, todo: world.remote("todo", () => []) });
 *   …
 *   expect(tasks.completed).toBe(1);
 * });
 */
export async function simulate(options: SimulationOptions, scenario: Scenario): Promise<void> {
  const { SIMULATION_SEED: replayed, SIMULATION_RUNS: wanted } = process.env;
  const first = replayed === undefined ? (options.seed ?? 1) : wholeNumber("SIMULATION_SEED", replayed);
  const many = wanted === undefined ? (options.runs ?? 100) : wholeNumber("SIMULATION_RUNS", wanted, 1);
  if (!Number.isSafeInteger(many) || many < 1) throw new Error(`runs is ${many}, but takes a whole number from 1.`);
  const runs = replayed === undefined ? many : 1;
  for (let run = 0; run < runs; run++) await simulateOnce(first + run, scenario, options);
}

/**
 * Runs the scenario under one schedule and returns what happened. With a list of choices instead of a seed, fast-check
 * can make a failing schedule smaller: `fc.asyncProperty(fc.array(fc.nat()), (choices) => simulateOnce(choices, …))`.
 */
export async function simulateOnce(
  seed: number | readonly number[],
  scenario: Scenario,
  { steps = 10_000 }: Pick<SimulationOptions, "steps"> = {},
): Promise<readonly string[]> {
  const driven = createWorld(typeof seed === "number" ? seededRandom(seed) : listedRandom(seed));
  const { trace } = driven.world;
  const hint =
    typeof seed === "number"
      ? `Replay it with SIMULATION_SEED=${seed}`
      : `Replay it with simulateOnce(${JSON.stringify(seed)}, …)`;
  const fail = (problem: string, cause?: unknown): SimulationFailure =>
    new SimulationFailure(problem, trace, hint, cause);

  let end: { readonly error?: unknown } | undefined;
  scenario(driven.world).then(
    () => {
      end = {};
    },
    (error: unknown) => {
      end = { error };
    },
  );
  for (let step = 0; ; step++) {
    await quiet();
    const failed = driven.backgroundError() ?? (end !== undefined && "error" in end ? end : undefined);
    if (failed !== undefined) {
      const { error } = failed;
      throw fail((error instanceof Error ? error.message : String(error)).trim(), error);
    }
    if (step === steps) {
      throw fail(
        end === undefined
          ? `The scenario has not ended after ${steps} steps.`
          : `The scenario has ended, but after ${steps} steps something that it started is still running: end it first.`,
      );
    }
    if (driven.next()) continue;
    // Not as soon as the scenario has returned: what it left running may still break.
    if (end !== undefined) return trace;
    throw fail(
      `Nothing is left to happen, but the scenario waits for ${driven.waitingFor().join(", ") || "something outside of the world"}.`,
    );
  }
}

function wholeNumber(name: string, text: string, least = Number.NEGATIVE_INFINITY): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  const range = Number.isFinite(least) ? ` from ${least}` : "";
  throw new Error(`${name} is ${JSON.stringify(text)}, but takes a whole number${range}.`);
}
