import { expect, test } from "bun:test";
import { formatDuration } from "../src/count.ts";

test.each([
  [-5, "0ms"],
  [0, "0ms"],
  [999.6, "999ms"],
  [1000, "1.0s"],
  [9999, "9.9s"],
  [59_999, "59s"],
  [60_000, "1m 0s"],
  [192_000, "3m 12s"],
  [3_660_000, "1h 1m"],
  [90_000_000, "1d 1h"],
])("%d ms are %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([Number.POSITIVE_INFINITY, Number.NaN, 1e306])("%d ms are unknown", (ms) =>
  expect(formatDuration(ms)).toBe("unknown"),
);
