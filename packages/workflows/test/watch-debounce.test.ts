import { describe, expect, test } from "bun:test";
import { type FakeClock, fakeClock } from "@atomic/testing/simulation/clock";
import { type Debounced, debounce } from "../src/entities/watch/debounce.ts";

function setUp(): { clock: FakeClock; acted: number[]; debounced: Debounced } {
  const clock = fakeClock();
  const acted: number[] = [];
  const timers = { ...clock, clearTimeout: (timer: unknown) => clock.clearTimeout(timer as number) };
  const debounced = debounce(() => acted.push(clock.monotonic()), { quietMs: 100, mostMs: 1_000, timers });
  return { clock, acted, debounced };
}

describe("the action runs", () => {
  test("once no poke has come for long enough", async () => {
    const { clock, acted, debounced } = setUp();
    debounced.poke();
    await clock.advance(99);
    expect(acted).toEqual([]);
    await clock.advance(1);
    expect(acted).toEqual([100]);
  });

  test("once for many pokes, after the last of them", async () => {
    const { clock, acted, debounced } = setUp();
    for (let poke = 0; poke < 5; poke += 1) {
      debounced.poke();
      await clock.advance(50);
    }
    await clock.advance(1_000);
    expect(acted).toEqual([300]);
  });

  test("eventually, if pokes keep coming", async () => {
    const { clock, acted, debounced } = setUp();
    for (let poke = 0; poke < 50; poke += 1) {
      debounced.poke();
      await clock.advance(50);
    }
    expect(acted).toEqual([1_000, 2_000]);
  });

  test("again after the next poke", async () => {
    const { clock, acted, debounced } = setUp();
    debounced.poke();
    await clock.advance(500);
    debounced.poke();
    await clock.advance(500);
    expect(acted).toEqual([100, 600]);
  });

  test("never, if it is cancelled", async () => {
    const { clock, acted, debounced } = setUp();
    debounced.poke();
    debounced.cancel();
    await clock.advance(5_000);
    expect(acted).toEqual([]);
    debounced.cancel();
    debounced.poke();
    await clock.advance(100);
    expect(acted).toEqual([5_100]);
  });
});
