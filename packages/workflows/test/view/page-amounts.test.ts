import { expect, test } from "bun:test";
import { moment, money, offset, shareOf, tokens } from "../../src/view/page-amounts.ts";

const minute = 60_000;
const hour = 60 * minute;

test.each([
  [0, "0:00:00"],
  [12 * minute + 3000, "0:12:03"],
  [14 * hour, "14:00:00"],
  [51 * hour, "2d 3:00:00"],
  [-1000, "0:00:00"],
])("%d ms after the beginning is %s", (ms, text) => expect(offset(1_000_000 + ms, 1_000_000)).toBe(text));

test("a time is shown in UTC, and an invalid one is not an error", () => {
  expect(moment(Date.UTC(2026, 0, 18, 14, 30, 52))).toBe("2026-01-18 14:30 UTC");
  expect(moment(8.7e15)).toBe("unknown");
});

test.each([
  [0, "$0.00"],
  [0.004, "<$0.01"],
  [0.01, "$0.01"],
  [12.345, "$12.35"],
])("%d dollars are %s", (usd, text) => expect(money(usd)).toBe(text));

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [12_340, "12.3k"],
  [123_400, "123k"],
  [999_999, "1M"],
  [1_250_000, "1.3M"],
])("%d tokens are %s", (amount, text) => expect(tokens(amount)).toBe(text));

test.each([Number.POSITIVE_INFINITY, Number.NaN, 1e306])("%d is not a valid amount", (amount) => {
  expect([money(amount), tokens(amount), offset(amount, 0)]).toEqual(Array(3).fill("unknown"));
});

test("a share is between 0 and 1, even of nothing", () => {
  expect([shareOf(1, 4), shareOf(5, 4), shareOf(-1, 4), shareOf(1, 0), shareOf(1e308, 1e308)]).toEqual([
    0.25, 1, 0, 0, 1,
  ]);
});
