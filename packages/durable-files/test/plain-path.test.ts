import { expect, test } from "bun:test";
import fc from "fast-check";
import { isPlainByParts, isPlainPath } from "../src/safety/names.ts";

test.each(["a", "a/b.md", ".hidden/x", "a b/ü.md", "a..b", "...a"])("%j is plain", (path) => {
  expect(isPlainPath(path)).toBe(true);
});

const detours = ["", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b"];
const odd = [
  "a\\b",
  "C:/x",
  "a:b",
  "a\0",
  "a\nb",
  "\u009bx",
  "a.",
  "a ",
  " a",
  "a /b",
  "con",
  "a/NUL.md",
  "x".repeat(1025),
];
test.each([...detours, ...odd])("%j is not", (path) => {
  expect(isPlainPath(path)).toBe(false);
});

test("the quick check of simple paths agrees with the check part by part", () => {
  const part = fc.oneof(
    fc.constantFrom("con", "aux", "com1", "lpt9", "nul.md", "NUL", "a", "..", ".", "conx"),
    fc.stringMatching(/^[\w.-]{0,4}$/),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      expect(isPlainPath(parts.join("/"))).toBe(isPlainByParts(parts.join("/")));
    }),
    { numRuns: 1000 },
  );
});
