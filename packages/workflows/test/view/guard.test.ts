import { expect, jest, test } from "bun:test";
import { afterFirstFrame } from "../../src/view/guard.ts";

test.each([
  ["starts what it was asked to start", false, 1],
  ["starts nothing after OpenCode has closed", true, 0],
])("after the first frame, a plugin %s", (_what, isClosed, expected) => {
  jest.useFakeTimers();
  const closing: (() => void | Promise<void>)[] = [];
  let started = 0;
  try {
    afterFirstFrame({ lifecycle: { onDispose: (run) => closing.push(run) } }, () => {
      started += 1;
    });
    expect(started).toBe(0);
    if (isClosed) for (const close of closing) void close();
    jest.runAllTimers();
    expect(started).toBe(expected);
  } finally {
    jest.useRealTimers();
  }
});
