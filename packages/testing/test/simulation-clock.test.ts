import { expect, test } from "bun:test";
import { fakeClock } from "@atomic/testing/simulation/clock";

test("time does not move until it is advanced", async () => {
  const clock = fakeClock({ now: 1000, monotonic: 5 });
  expect([clock.now(), clock.monotonic()]).toEqual([1000, 5]);
  await clock.advance(250);
  expect([clock.now(), clock.monotonic()]).toEqual([1250, 255]);
});

test("timers fire in the order they are due, equal ones in the order they were set", async () => {
  const clock = fakeClock();
  const fired: string[] = [];
  clock.setTimeout(() => fired.push("late"), 20);
  clock.setTimeout(() => fired.push("early"), 10);
  clock.setTimeout(() => fired.push("early too"), 10);
  await clock.advance(15);
  expect(fired).toEqual(["early", "early too"]);
  await clock.advance(5);
  expect(fired).toEqual(["early", "early too", "late"]);
});

test("each timer sees its own time, and what it wakes runs before the next", async () => {
  const clock = fakeClock();
  const seen: number[] = [];
  const work = async (): Promise<void> => {
    await clock.sleep(10);
    seen.push(clock.monotonic());
    await clock.sleep(10);
    seen.push(clock.monotonic());
  };
  const working = work();
  await clock.advance(100);
  await working;
  expect(seen).toEqual([10, 20]);
  expect(clock.monotonic()).toBe(100);
});

test("a cleared timer does not fire, nor does an interval that clears itself fire again", async () => {
  const clock = fakeClock();
  let fired = 0;
  clock.clearTimeout(clock.setTimeout(() => fired++, 10));
  const interval = clock.setInterval(() => {
    fired++;
    if (fired === 3) clock.clearTimeout(interval);
  }, 10);
  await clock.advance(1000);
  expect(fired).toBe(3);
  expect(clock.nextDue()).toBeUndefined();
});

test("a clock that is set back moves no timer", async () => {
  const clock = fakeClock({ now: 10_000 });
  let firedAt: number | undefined;
  clock.setTimeout(() => {
    firedAt = clock.now();
  }, 100);
  clock.jump(-5000);
  expect([clock.now(), clock.monotonic()]).toEqual([5000, 0]);
  await clock.advance(100);
  expect(firedAt).toBe(5100);
});

test("a timer without a sensible delay is due at once", async () => {
  const clock = fakeClock();
  const fired: number[] = [];
  for (const delay of [-5, Number.NaN, 0]) clock.setTimeout(() => fired.push(clock.monotonic()), delay);
  await clock.advance(0);
  expect(fired).toEqual([0, 0, 0]);
});

test("runAll ends with the last timer, and refuses to run forever", async () => {
  const clock = fakeClock();
  clock.setTimeout(() => clock.setTimeout(() => undefined, 50), 50);
  await clock.runAll();
  expect(clock.monotonic()).toBe(100);
  clock.setInterval(() => undefined, 10);
  // Not `expect(…).rejects`: Bun then blocks the event loop that the clock needs.
  const refusal = await clock.runAll(20).then(() => "", String);
  expect(refusal).toContain("20 timers fired, and 1 are still set.");
});

test("a sleep ends early with the reason of its signal, and leaves no timer", async () => {
  const clock = fakeClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(1000, controller.signal);
  controller.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
  expect(clock.nextDue()).toBeUndefined();
  await expect(clock.sleep(1000, controller.signal)).rejects.toThrow("enough");
});

test("an error in a timer rejects the call that advances the clock", async () => {
  const clock = fakeClock();
  clock.setTimeout(() => {
    throw new Error("in the timer");
  }, 1);
  await expect(clock.advance(1)).rejects.toThrow("in the timer");
});
