import { expect, test } from "bun:test";
import fc from "fast-check";
import { axisOf } from "../../src/view/page-axis.ts";

const minute = 60_000;
const night = 10 * 60 * minute;

test("without a long silence, time is drawn as it was", () => {
  const axis = axisOf([0, 5 * minute, 10 * minute]);
  expect([0, 2.5, 5, 10].map((minutes) => axis.at(minutes * minute))).toEqual([0, 25, 50, 100]);
  expect(axis.breaks).toEqual([]);
});

test("a long silence is shortened, and its length is shown", () => {
  const axis = axisOf([0, 10 * minute, 10 * minute + night, 20 * minute + night]);
  const [gap] = axis.breaks;
  expect(gap?.ms).toBe(night);
  expect(gap!.width).toBeLessThan(5);
  expect(axis.at(10 * minute)).toBeCloseTo(gap!.left);
  expect(axis.at(20 * minute + night)).toBe(100);
  expect(axis.at(10 * minute)).toBeGreaterThan(45);
});

test("a single moment has a place", () => {
  expect(axisOf([7]).at(7)).toBe(0);
  expect(axisOf([]).at(7)).toBe(0);
});

test("later events are never further left, and nothing leaves the line", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200 * minute), { maxLength: 30 }), fc.array(fc.nat(250 * minute)), (times, asked) => {
      const axis = axisOf(times);
      const places = asked.toSorted((a, b) => a - b).map((time) => axis.at(time));
      expect(places.every((place) => place >= 0 && place <= 100.000001)).toBe(true);
      expect(places.every((place, at) => at === 0 || place >= places[at - 1]! - 1e-9)).toBe(true);
    }),
  );
});
