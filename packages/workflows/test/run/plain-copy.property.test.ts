import { expect, test } from "bun:test";
import fc from "fast-check";
import { plainCopy } from "../../src/run/execution/encode.ts";

const enough = 1_000_000;

test("a copy is exactly what JSON makes of the value, and no longer than allowed", () => {
  const value = fc.oneof(
    fc.jsonValue({ depthSize: "medium" }),
    fc.anything({ withDate: true, withMap: true, withSparseArray: true, withNullPrototype: true, withBigInt: true }),
    fc.dictionary(fc.constantFrom("__proto__", "toJSON", "a", "b"), fc.jsonValue()),
  );
  let copies = 0;
  fc.assert(
    fc.property(value, fc.nat(200), (given, bytes) => {
      const copied = plainCopy(given, bytes);
      if (copied === undefined) return;
      copies += 1;
      const text = JSON.stringify(given);
      expect(JSON.stringify(copied)).toBe(text);
      expect(copied as unknown).toEqual(JSON.parse(text));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
    }),
    { numRuns: 2000, seed: 3 },
  );
  expect(copies).toBeGreaterThan(200);
});

test("a copy shares nothing with its original", () => {
  const given = { list: [{ deep: true }] };
  const copied = plainCopy(given, enough) as typeof given;
  given.list[0]!.deep = false;
  expect(copied).toEqual({ list: [{ deep: true }] });
});

const circle: { inner?: unknown } = {};
circle.inner = circle;

test.each<[string, unknown]>([
  ["a number that JSON does not have", Number.NaN],
  ["a zero that JSON does not keep", -0],
  ["something that is left out of objects", { a: undefined }],
  ["a hole in a list", new Array(2)],
  ["an object that is more than its keys", new Date(0)],
  ["an object with a say in its JSON", { toJSON: () => 1 }],
  ["a key that an assignment would lose", JSON.parse('{"__proto__":{"a":1}}')],
  ["a circle", circle],
  ["a list of another kind", Object.assign([1], { toJSON: () => 2 })],
  ["a function", () => 1],
])("%s is left to JSON itself", (_what, given) => {
  expect(plainCopy(given, enough)).toBeUndefined();
});
