import { expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";

const linear = (size: number): number => "ab".repeat(size).split("b").length;
const quadratic = (size: number): number => {
  let sum = 0;
  for (let outer = 0; outer < size; outer++) for (let inner = 0; inner < size; inner++) sum += inner ^ outer;
  return sum;
};

test("work that grows with its input is distinguished from work that grows faster", () => {
  expect(growth(500_000, linear)).toBeLessThan(1.5);
  // Even on a fast machine, the smaller size has to take longer than what counts as noise.
  expect(growth(4_000, quadratic)).toBeGreaterThan(1.5);
});
