import { expect, test } from "bun:test";
import { axisOf } from "@atomic/workflows/internal/view/page-axis";
import { barOf, costLine } from "../../src/timeline/drawn-text.ts";

const minute = 60_000;

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
