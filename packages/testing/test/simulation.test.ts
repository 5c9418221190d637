import { afterEach, expect, test } from "bun:test";
import { SimulationFailure, simulate, simulateOnce } from "@atomic/testing/simulation";
import type { World } from "@atomic/testing/simulation/world";
import fc from "fast-check";

/**
 * A task that is done when its session is idle and has no todo left. Both an event and a poll may find that out, so
 * both ask for the todos, and each has to wait for the answer.
 */
async function completeOnce(world: World, claim: "before the wait" | "after the wait"): Promise<void> {
  const openTodos = world.remote("todos", () => 0);
  let status: "running" | "claimed" | "done" = "running";
  let completions = 0;
  const tryComplete = async (): Promise<void> => {
    if (status !== "running") return;
    if (claim === "before the wait") status = "claimed";
    if ((await openTodos()) > 0) return;
    status = "done";
    completions++;
  };
  const idle = world.events<string>("idle");
  idle.subscribe(tryComplete);
  idle.emit("session");
  const poll = world.clock.setInterval(() => world.start("poll", tryComplete), 1000);
  await world.until("the task to be done", () => status === "done");
  world.clock.clearTimeout(poll);
  await world.settled();
  expect(completions).toBe(1);
}

async function failureOf(run: Promise<unknown>): Promise<SimulationFailure> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SimulationFailure);
  return error as SimulationFailure;
}

function seedIn(failure: SimulationFailure): number {
  return Number(/SIMULATION_SEED=(\d+)$/.exec(failure.message)?.[1]);
}

const { SIMULATION_SEED, SIMULATION_RUNS } = process.env;
afterEach(() => {
  delete process.env.SIMULATION_SEED;
  delete process.env.SIMULATION_RUNS;
  if (SIMULATION_SEED !== undefined) process.env.SIMULATION_SEED = SIMULATION_SEED;
  if (SIMULATION_RUNS !== undefined) process.env.SIMULATION_RUNS = SIMULATION_RUNS;
});

test("a check before an await and a claim after it complete a task twice within a few schedules", async () => {
  const failure = await failureOf(simulate({ runs: 20 }, (world) => completeOnce(world, "after the wait")));
  expect(failure.message).toContain("todos #2 is called");
  expect(seedIn(failure)).toBeLessThanOrEqual(20);
});

test("a claim before the await holds under thousands of schedules", async () => {
  await simulate({ runs: 3000 }, (world) => completeOnce(world, "before the wait"));
}, 180_000);

test("the seed in the message replays the failing schedule exactly", async () => {
  const scenario = (world: World): Promise<void> => completeOnce(world, "after the wait");
  const failure = await failureOf(simulate({ runs: 20 }, scenario));
  process.env.SIMULATION_SEED = String(seedIn(failure));
  const replay = await failureOf(simulate({ runs: 20 }, scenario));
  expect(replay.trace).toEqual(failure.trace);
  expect(replay.message).toBe(failure.message);
});

test("equal seeds give equal schedules, different seeds different ones", async () => {
  const scenario = async (world: World): Promise<void> => {
    await Promise.all(["a", "b", "c", "d"].map((name) => world.call(name, () => name)));
  };
  const traces = await Promise.all([1, 2, 3, 4, 5].map((seed) => simulateOnce(seed, scenario)));
  const again = await Promise.all([1, 2, 3, 4, 5].map((seed) => simulateOnce(seed, scenario)));
  expect(again).toEqual(traces);
  expect(new Set(traces.map((trace) => trace.join())).size).toBe(5);
});

test("every order of three steps is found", async () => {
  const orders = new Set<string>();
  await simulate({ runs: 100 }, async (world) => {
    const order: string[] = [];
    const visit = async (name: string): Promise<void> => {
      await world.step(name);
      order.push(name);
    };
    await Promise.all(["a", "b", "c"].map(visit));
    orders.add(order.join(""));
  });
  expect([...orders].sort()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
});

test("fast-check makes a failing list of choices as small as it can be", async () => {
  const property = fc.asyncProperty(fc.array(fc.nat(100)), async (choices) => {
    await simulateOnce(choices, (world) => completeOnce(world, "after the wait"));
  });
  const result = await fc.check(property, { seed: 1 });
  expect(result.failed).toBe(true);
  expect(result.counterexample?.[0].length).toBeLessThanOrEqual(6);
});

test("SIMULATION_RUNS asks for more schedules", async () => {
  process.env.SIMULATION_RUNS = "7";
  let runs = 0;
  await simulate({ runs: 2 }, async () => {
    runs++;
  });
  expect(runs).toBe(7);
});

test("a seed that is not a number is refused", async () => {
  process.env.SIMULATION_SEED = "x1";
  await expect(simulate({}, async () => undefined)).rejects.toThrow(
    'SIMULATION_SEED is "x1", but takes a whole number.',
  );
});

test.each(["0", "-5", "", " ", "1.5", "x"])(
  "SIMULATION_RUNS=%p is refused instead of running nothing",
  async (runs) => {
    process.env.SIMULATION_RUNS = runs;
    await expect(simulate({}, async () => undefined)).rejects.toThrow(
      `SIMULATION_RUNS is ${JSON.stringify(runs)}, but takes a whole number from 1.`,
    );
  },
);

test.each([0, -5, 1.5, Number.NaN])("%p runs are refused instead of passing", async (runs) => {
  await expect(simulate({ runs }, async () => undefined)).rejects.toThrow(
    `runs is ${runs}, but takes a whole number from 1.`,
  );
});

test("a background failure after the scenario has returned fails the run", async () => {
  const failure = await failureOf(
    simulate({ runs: 1 }, async (world) => {
      world.start("work", async () => {
        await world.clock.sleep(1000);
        throw new Error("too late to be seen");
      });
    }),
  );
  expect(failure.problem).toBe("too late to be seen");
  expect(failure.trace).toHaveLength(2);
});

test("work that never ends after the scenario has returned is cut off", async () => {
  const failure = await failureOf(
    simulate({ runs: 1, steps: 100 }, async (world) => {
      world.clock.setInterval(() => undefined, 1000);
    }),
  );
  expect(failure.problem).toBe(
    "The scenario has ended, but after 100 steps something that it started is still running: end it first.",
  );
});

test("a task that waits forever does not delay a scenario that has returned", async () => {
  await simulate({ runs: 1 }, async (world) => {
    world.start("work", () => world.until("the end of days", () => false));
  });
});

test("a scenario whose wait cannot end is stuck, and says what it waits for", async () => {
  const failure = await failureOf(
    simulate({ runs: 1 }, async (world) => {
      const idle = world.events("idle", { drop: 1 });
      let heard = false;
      idle.subscribe(() => {
        heard = true;
      });
      idle.emit("lost");
      await world.until("the parent to wake", () => heard);
    }),
  );
  expect(failure.problem).toBe("Nothing is left to happen, but the scenario waits for the parent to wake.");
  expect(failure.message).toContain("idle #1 is lost");
});

test("a scenario that never ends is cut off", async () => {
  const forever = async (world: World): Promise<void> => {
    for (;;) await world.clock.sleep(10);
  };
  const failure = await failureOf(simulate({ runs: 1, steps: 100 }, forever));
  expect(failure.problem).toBe("The scenario has not ended after 100 steps.");
  expect(failure.trace).toHaveLength(100);
  expect(failure.message).toContain("The schedule:\n    … after 40 other steps\n   41     410 ms  a timer fires");
});

test("an error in the background fails the run and stays the cause", async () => {
  const broken = new Error("the listener broke");
  const failure = await failureOf(
    simulate({ runs: 1 }, async (world) => {
      world.start("work", async () => {
        throw broken;
      });
      await world.settled();
    }),
  );
  expect(failure.cause).toBe(broken);
  expect(failure.problem).toBe("the listener broke");
});

test("a call that fails rejects with its own error, later", async () => {
  const trace = await simulateOnce(1, async (world) => {
    const call = world.call("status", () => {
      throw new Error("gone");
    });
    // Not `expect(call).rejects`: Bun holds the whole program up until that promise ends.
    const reason = await call.catch((error: unknown) => error);
    expect(reason).toEqual(new Error("gone"));
  });
  expect(trace.map((line) => line.replace(/.* ms {2}/, ""))).toEqual(["status #1 is called", "status #1 fails"]);
});

test("a timeout overtakes a slow call under some seeds, and never one that answers within its time", async () => {
  const winners = async (within: number | undefined): Promise<Set<string>> => {
    const seen = new Set<string>();
    await simulate({ runs: 100 }, async (world) => {
      const options = within === undefined ? {} : { within };
      const call = world.call("status", () => "answer", options);
      seen.add(await Promise.race([call, world.clock.sleep(5000).then(() => "timeout")]));
    });
    return seen;
  };
  expect(await winners(undefined)).toEqual(new Set(["answer", "timeout"]));
  expect(await winners(1000)).toEqual(new Set(["answer"]));
});

test("the schedule shows numbered steps with their time", async () => {
  const failure = await failureOf(
    simulateOnce(1, async (world) => {
      await world.clock.sleep(1500);
      await world.step("the last step");
      world.note("and then");
      throw new Error("wrong");
    }),
  );
  expect(failure.message).toBe(
    [
      "wrong",
      "",
      "The schedule:",
      "    1    1500 ms  a timer fires",
      "    2    1500 ms  the last step",
      "    3    1500 ms  and then",
      "",
      "Replay it with SIMULATION_SEED=1",
    ].join("\n"),
  );
});
