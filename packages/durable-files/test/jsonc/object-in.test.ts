import { expect, test } from "bun:test";
import { objectIn } from "../../src/jsonc/object-in.ts";

test.each([
  ['{ "a": 1 }', { a: 1 }],
  ["{}", {}],
  ["null", undefined],
  ["[1]", undefined],
  ['"text"', undefined],
  ['{ "a": ', undefined],
  ["", undefined],
])("%j has the object %j", (text, expected) => {
  expect(objectIn(text)).toEqual(expected);
});
