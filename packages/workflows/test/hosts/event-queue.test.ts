import { expect, test } from "bun:test";
import { EventQueue } from "../../src/hosts/event-queue.ts";

test("what is pushed before and during a wait arrives in order, and then the end", async () => {
  const queue = new EventQueue<number | undefined>();
  queue.push(1);
  queue.push(undefined);
  const all = Array.fromAsync(queue);
  await Promise.resolve();
  queue.push(3);
  queue.end();
  queue.push(4);
  expect(await all).toEqual([1, undefined, 3]);
  expect(await Array.fromAsync(queue)).toEqual([]);
});

test("a failure arrives after the remaining items, and again for later readers", async () => {
  const queue = new EventQueue<number>();
  queue.push(1);
  queue.push(2);
  queue.fail(new Error("torn"));
  queue.fail(new Error("too late"));
  queue.push(3);
  const heard: number[] = [];
  const reading = (async () => {
    for await (const item of queue) heard.push(item);
  })();
  expect(await reading.catch((error: Error) => error.message)).toBe("torn");
  expect(heard).toEqual([1, 2]);
  for (const _time of [1, 2]) {
    expect(await Array.fromAsync(queue).catch((error: Error) => error.message)).toBe("torn");
  }
});

test("a failure reaches the waiting caller, even if the thrown value is undefined", async () => {
  const queue = new EventQueue<number>();
  const waiting = Array.fromAsync(queue).catch((error: unknown) => ["failed with", error]);
  queue.fail(undefined);
  expect(await waiting).toEqual(["failed with", undefined]);
});

test("a failure after the end is ignored", async () => {
  const queue = new EventQueue<number>();
  queue.push(1);
  queue.end();
  queue.fail(new Error("late"));
  expect(await Array.fromAsync(queue)).toEqual([1]);
});
