import { describe, expect, test } from "bun:test";
import { frozenList } from "../src/frontmatter/frozen-list.ts";

test("equal lists of texts are one list", () => {
  const first = frozenList(["Read", "Bash(git:*)"]);
  expect(frozenList(["Read", "Bash(git:*)"])).toBe(first);
  expect(first).toEqual(["Read", "Bash(git:*)"]);
  expect(Object.isFrozen(first)).toBe(true);
});

describe("lists that only look alike stay apart", () => {
  test.each<[unknown[], unknown[]]>([
    [[], [""]],
    [["a", "b"], ["a\0b"]],
    [["1"], [1]],
    [["null"], [null]],
    [["a", ""], ["a"]],
    [
      ["", "a"],
      ["a", ""],
    ],
    [["Read"], ["read"]],
  ])("%j and %j", (left, right) => {
    const [one, other] = [frozenList([...left]), frozenList([...right])];
    expect(one).toEqual(left);
    expect(other).toEqual(right);
    expect([one, other].every(Object.isFrozen)).toBe(true);
  });
});

test("so many lists that the first is forgotten are still right", () => {
  const lists = Array.from({ length: 1_000 }, (_, index) => frozenList([`tool-${index}`]));
  expect(lists.every((list, index) => list.length === 1 && list[0] === `tool-${index}`)).toBe(true);
  expect(frozenList(["tool-0"])).toEqual(["tool-0"]);
});
