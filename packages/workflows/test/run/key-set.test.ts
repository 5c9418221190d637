import { expect, test } from "bun:test";
import { KeySet } from "../../src/run/execution/key-set.ts";

test("a hundred thousand similar keys are all distinct, and each is recognized again", () => {
  const keys = new KeySet();
  const names = Array.from({ length: 100_000 }, (_, index) => `fan.${index % 7}/L#${index}/work`);
  for (const name of names) if (!keys.add(name)) throw new Error(`${name} was taken for another`);
  expect(keys.size).toBe(100_000);
  for (const name of names) if (keys.add(name)) throw new Error(`${name} was forgotten`);
  expect(keys.size).toBe(100_000);
});

test("keys of the same letters are different keys", () => {
  const keys = new KeySet();
  for (const key of ["ab", "ba", "a", "b", "", "aa", "A", "ä", "a\u0308", "\0", "\0\0"])
    expect(keys.add(key)).toBe(true);
});
