import { expect, test } from "bun:test";
import { simulate } from "@atomic/testing/simulation";
import { listedRandom, seededRandom } from "@atomic/testing/simulation/random";
import type { EventOptions } from "@atomic/testing/simulation/world";

/** What a listener hears of 1, 2, 3 in each of a hundred schedules. */
async function heard(options: EventOptions): Promise<Set<string>> {
  const all = new Set<string>();
  await simulate({ runs: 100 }, async (world) => {
    const source = world.events<number>("event", options);
    const events: number[] = [];
    source.subscribe((event) => {
      events.push(event);
    });
    for (const event of [1, 2, 3]) source.emit(event);
    await world.settled();
    all.add(events.join(""));
  });
  return all;
}

test("a reliable source delivers everything once and in order", async () => {
  expect(await heard({})).toEqual(new Set(["123"]));
});

test("a reordering source delivers everything once, in any order", async () => {
  expect([...(await heard({ reorder: true }))].sort()).toEqual(["123", "132", "213", "231", "312", "321"]);
});

test("a lossy source keeps the order of what is left", async () => {
  expect([...(await heard({ drop: 0.5 }))].sort()).toEqual(["", "1", "12", "123", "13", "2", "23", "3"]);
});

test("a repeating source delivers some events twice", async () => {
  expect(await heard({ duplicate: 1 })).toEqual(new Set(["112233"]));
  expect((await heard({ duplicate: 0.5 })).size).toBe(8);
});

test("a removed listener gets no more events", async () => {
  await simulate({ runs: 20 }, async (world) => {
    const source = world.events<number>("event");
    const events: number[] = [];
    const leave = source.subscribe((event) => {
      events.push(event);
      leave();
    });
    source.emit(1);
    source.emit(2);
    await world.settled();
    expect(events).toEqual([1]);
  });
});

test("a failing listener fails with the schedule", async () => {
  const scenario = simulate({ runs: 1 }, async (world) => {
    const source = world.events<number>("event");
    source.subscribe(async () => {
      throw new Error("not heard");
    });
    source.emit(1);
    await world.settled();
  });
  await expect(scenario).rejects.toThrow(/not heard[\s\S]*event #1 arrives/);
});

test("a slow event is overtaken by timers, one with a limit only by those before it", async () => {
  const orders = new Set<string>();
  await simulate({ runs: 50 }, async (world) => {
    const order: string[] = [];
    const source = world.events<string>("event", { within: 15 });
    source.subscribe((event) => {
      order.push(event);
    });
    source.emit("event");
    world.clock.setTimeout(() => order.push("early"), 10);
    world.clock.setTimeout(() => order.push("late"), 20);
    await world.settled();
    orders.add(order.join(" "));
  });
  expect([...orders].sort()).toEqual(["early event late", "event early late"]);
});

test("random numbers are spread evenly and stay below their limit", () => {
  const random = seededRandom(7);
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) counts[random.integer(10)]!++;
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1150);
});

test("a chance of 0 never happens, 1 always does, and 0.5 about half the time", () => {
  const random = seededRandom(7);
  const times = (probability: number): number =>
    Array.from({ length: 1000 }, () => random.chance(probability)).filter(Boolean).length;
  expect(times(0)).toBe(0);
  expect(times(1)).toBe(1000);
  expect(Math.abs(times(0.5) - 500)).toBeLessThan(60);
});

test("a list of choices is followed, and then always the first way", () => {
  const random = listedRandom([2, 5]);
  expect([random.integer(3), random.pick(["a", "b", "c"]), random.pick(["a", "b"])]).toEqual([2, "c", "a"]);
  expect(random.chance(0.99)).toBe(false);
});
