import { expect, test } from "bun:test";
import fc from "fast-check";
import { axisOf, barOf, costLine } from "../../src/timeline/axis.ts";

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

test.each([
  [0, 100, "████████"],
  [0, 50, "████····"],
  [50, 50, "····█···"],
  [100, 100, "·······█"],
  [99, 100, "·······█"],
])("from %d to %d %% of eight marks is %s", (from, to, bar) => expect(barOf(from, to, 8)).toBe(bar));

test("the cost curve grows to the total, in tokens if nothing has a price", () => {
  const axis = axisOf([0, 4 * minute]);
  const at = (minutes: number, usd: number) => ({ at: minutes * minute, usd, tokens: 1000 * minutes });
  expect(costLine([at(1, 1), at(2, 2), at(4, 4)], axis, 8)).toBe("·▃▃▅▅▅▅█ $4.00");
  expect(costLine([at(1, 0), at(4, 0)], axis, 8)).toBe("·▃▃▃▃▃▃█ 4k tokens");
  expect(costLine([], axis, 4)).toBe("···· 0 tokens");
});
