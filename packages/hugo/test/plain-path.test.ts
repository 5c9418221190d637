import { expect, test } from "bun:test";
import { isPlainPath } from "../src/plain-path.ts";

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
