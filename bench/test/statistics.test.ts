import { describe, expect, test } from "bun:test";
import { median, pairedRatio, spread } from "../harness/statistics.ts";

describe("median", () => {
  test.each([
    [[7], 7],
    [[3, 1], 2],
    [[9, 1, 5], 5],
    [[10, 2, 9, 1], 5.5],
    [[1, 1, 1, 1000], 1],
    [[-1, -10, 100], -1],
    [[0.2, 0.1, 0.3], 0.2],
  ])("of %p is %p", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test("of nothing is refused", () => {
    expect(() => median([])).toThrow("the median of no values");
  });

  test("leaves its argument in order", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

test("a spread is the median and the two ends", () => {
  expect(spread([4, 1, 9])).toEqual({ median: 4, min: 1, max: 9 });
});

describe("paired ratio", () => {
  test.each([
    { of: [2, 4, 6], to: [1, 2, 3], is: { median: 2, min: 2, max: 2 } },
    { of: [1, 2, 3], to: [1, 2, 3], is: { median: 1, min: 1, max: 1 } },
    { of: [1, 3], to: [2, 2], is: { median: 1, min: 0.5, max: 1.5 } },
    { of: [0, 5], to: [5, 5], is: { median: 0.5, min: 0, max: 1 } },
  ])("of $of to $to is $is", ({ of, to, is }) => {
    expect(pairedRatio(of, to)).toEqual(is);
  });

  test("cancels a round in which everybody was ten times slower", () => {
    const quiet = [10, 11, 12];
    const alsoNoisy = [20, 220, 24];
    expect(pairedRatio(alsoNoisy, [quiet[0]!, 110, quiet[2]!])).toEqual({ median: 2, min: 2, max: 2 });
  });

  test("does not exist when the clock saw no time at all", () => {
    expect(pairedRatio([1, 2], [0, 1])).toBeUndefined();
  });

  test("of series of different length is refused", () => {
    expect(() => pairedRatio([1, 2], [1])).toThrow("2 values cannot be paired with 1");
  });
});
