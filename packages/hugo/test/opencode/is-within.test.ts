import { expect, test } from "bun:test";
import { isWithin } from "../../src/opencode/is-within.ts";

test.each([
  ["/p", "/p", true],
  ["/p", "/p/a", true],
  ["/p", "/p/..a", true],
  ["/p", "/p/../q", false],
  ["/p", "/pq", false],
  ["/p/a", "/p", false],
  ["/", "/p", true],
])("%s contains %s: %p", (folder, path, expected) => {
  expect(isWithin(folder, path)).toBe(expected);
});
