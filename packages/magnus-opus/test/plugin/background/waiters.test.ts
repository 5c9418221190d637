import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { longestTimer, Waiters } from "../../../src/plugin/background/waiters.ts";

/** The real timers, counted: none of them fires in these tests. */
const started = new Map<unknown, number | undefined>();
let spies: { mockRestore(): void }[] = [];
beforeEach(() => {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  started.clear();
  spies = [
    spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, ms?: number) => {
      const timer = start(act, ms);
      started.set(timer, ms);
      return timer;
    }) as typeof setTimeout),
    spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
      started.delete(timer);
      stop(timer as Timer);
    }),
  ];
});
afterEach(() => {
  for (const spy of spies) spy.mockRestore();
});

/** The listeners that a signal has. */
function countedSignal() {
  const { signal, abort } = ((stop = new AbortController()) => ({ signal: stop.signal, abort: () => stop.abort() }))();
  const listeners = new Set<unknown>();
  spies.push(
    spyOn(signal, "addEventListener").mockImplementation((_: string, act: unknown) => {
      listeners.add(act);
      EventTarget.prototype.addEventListener.call(signal, "abort", act as () => void);
    }),
    spyOn(signal, "removeEventListener").mockImplementation((_: string, act: unknown) => {
      listeners.delete(act);
      EventTarget.prototype.removeEventListener.call(signal, "abort", act as () => void);
    }),
  );
  return { signal, abort, listeners };
}

test.each(["release", "abort", "close"] as const)("%s ends a wait and leaves no timer or listener", async (how) => {
  const waiters = new Waiters();
  const { signal, abort, listeners } = countedSignal();
  const waits = [1, 2].map(() => waiters.wait("ses_a", { signal, ms: 600_000 }));
  expect([started.size, listeners.size]).toEqual([2, 2]);
  if (how === "release") waiters.release("ses_a");
  else if (how === "abort") abort();
  else waiters.close();
  await Promise.all(waits);
  expect([started.size, listeners.size]).toEqual([0, 0]);
});

test("what is released is not what others wait for", async () => {
  const waiters = new Waiters();
  const order: string[] = [];
  const waits = ["ses_a", "ses_b"].map((key) => waiters.wait(key, { ms: 600_000 }).then(() => order.push(key)));
  waiters.release("ses_b");
  await waits[1];
  waiters.release("ses_a");
  await waits[0];
  expect(order).toEqual(["ses_b", "ses_a"]);
});

test("a time that is too long for a timer is the longest one, not none", async () => {
  const waiters = new Waiters();
  const wait = waiters.wait("ses_a", { ms: 3_000_000_000 });
  expect([...started.values()]).toEqual([longestTimer]);
  waiters.close();
  await wait;
});

test("an aborted call, or one after the end, does not wait", async () => {
  const waiters = new Waiters();
  await waiters.wait("ses_a", { signal: AbortSignal.abort(), ms: 600_000 });
  waiters.close();
  await waiters.wait("ses_a", { ms: 600_000 });
  expect(started.size).toBe(0);
});
