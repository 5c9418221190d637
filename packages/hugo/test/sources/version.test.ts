import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareVersions, isInRange, parseVersion } from "../../src/sources/registry/version.ts";

const number = fc.nat({ max: 3 });
const suffix = fc.constantFrom("", "", "", "-0", "-alpha", "-alpha.1", "-alpha.beta", "-beta.2", "-beta.11", "-rc.1");
const version = fc.tuple(number, number, number, suffix).map(([a, b, c, tail]) => `${a}.${b}.${c}${tail}`);
const wild = fc.oneof(number.map(String), fc.constantFrom("x", "*"));
const partial = fc.oneof(
  version,
  number.map(String),
  fc.tuple(number, wild).map((it) => it.join(".")),
  wild,
);
const comparator = fc
  .tuple(fc.constantFrom("", "^", "~", ">", ">=", "<", "<=", "="), partial)
  .map(([operator, text]) => operator + text);
const range = fc.oneof(
  fc.array(comparator, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(" ")),
  fc.tuple(partial, partial).map(([from, to]) => `${from} - ${to}`),
);
const ranges = fc.array(range, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(" || "));

test("versions are ordered as Bun orders them", () => {
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(compareVersions(a, b)).toBe(Bun.semver.order(a, b));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0", "2.0.0-alpha", "1.3.0-alpha"]],
  ["^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.2.2"]],
  ["^0.0.3", ["0.0.3"], ["0.0.4", "0.0.2"]],
  ["^0.0", ["0.0.0", "0.0.9"], ["0.1.0"]],
  ["^0", ["0.0.0", "0.9.9"], ["1.0.0"]],
  ["^1.x", ["1.0.0", "1.9.9"], ["2.0.0"]],
  ["^1.2.3-beta.2", ["1.2.3-beta.4", "1.2.3", "1.3.0"], ["1.2.4-beta.4", "1.2.3-beta.1"]],
  ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]],
  ["~1.2", ["1.2.0"], ["1.3.0"]],
  ["~1", ["1.0.0", "1.9.0"], ["2.0.0"]],
  ["1", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.9", "1.0.0-alpha"]],
  ["1.2.x", ["1.2.0"], ["1.3.0"]],
  ["x", ["0.0.0", "9.9.9"], ["1.0.0-alpha"]],
  [">1", ["2.0.0"], ["1.9.9"]],
  [">1.2", ["1.3.0"], ["1.2.9"]],
  ["<=1", ["1.9.9"], ["2.0.0", "2.0.0-0"]],
  ["<1.2", ["1.1.9"], ["1.2.0"]],
  [">=1 <3", ["1.0.0", "2.9.9"], ["3.0.0"]],
  [">= 1.2.0 < 2", ["1.2.0"], ["1.1.9", "2.0.0"]],
  ["1.2 - 2", ["1.2.0", "2.9.9"], ["3.0.0", "1.1.9"]],
  ["1.2.3 - 2.0.0", ["2.0.0"], ["2.0.1"]],
  ["1.0.0 || 3", ["1.0.0", "3.1.0"], ["2.0.0"]],
  ["=1.2.3", ["1.2.3", "1.2.3+build"], ["1.2.4"]],
  ["v1.2.3", ["1.2.3"], ["1.2.2"]],
  ["<*", [], ["0.0.0", "1.0.0"]],
  [">=1.0.0-alpha <1.0.0", ["1.0.0-beta"], ["1.0.0", "0.9.9"]],
])("%s matches %j and not %j", (wanted, inside, outside) => {
  expect(inside.filter((text) => !isInRange(text, wanted))).toEqual([]);
  expect(outside.filter((text) => isInRange(text, wanted))).toEqual([]);
});

test("stable versions are in the same ranges as in Bun", () => {
  const stable = version.map((text) => text.replace(/-.*/, ""));
  fc.assert(
    fc.property(stable, ranges, (text, wanted) => {
      expect(isInRange(text, wanted)).toBe(Bun.semver.satisfies(text, wanted));
    }),
    { numRuns: 5000 },
  );
});

test("an invalid version is in no range and sorts before all versions", () => {
  expect(parseVersion("1.0")).toBeUndefined();
  expect(isInRange("1.0", "*")).toBe(false);
  expect(["1.0.0", "what", "0.1.0"].sort(compareVersions)).toEqual(["what", "0.1.0", "1.0.0"]);
});
