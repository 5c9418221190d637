// The last line of defense, tested with the damage it exists for.
import { describe, expect, test } from "bun:test";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { type Edit, planEdit } from "../../src/jsonc/plan-edit.ts";
import { cut, insertAt, type Splice } from "../../src/jsonc/splice.ts";
import { isFaithful } from "../../src/jsonc/verify.ts";

const TEXT = '{"a": [1, {"k": 2}], /* c */ "b": {"x": 3, "y": 4, "x": 5}}';

function accepts(edit: Edit, after: string, splices: readonly Splice[] = []): boolean {
  const document = parseJsonc(TEXT);
  return isFaithful(document, planEdit(document, edit), splices, parseJsonc(after));
}

describe("after an insertion", () => {
  const edit: Edit = { op: "insert", path: ["a"], value: "n", index: 1 };
  test.each([
    ["the right result", '"n", {"k": 2}], /* c */ "b": {"x": 3, "y": 4, "x": 5}}', true],
    ["a wrong value", '"m", {"k": 2}], /* c */ "b": {"x": 3, "y": 4, "x": 5}}', false],
    ["a wrong place", '{"k": 2}, "n"], /* c */ "b": {"x": 3, "y": 4, "x": 5}}', false],
    ["an item too many", '"n", {"k": 2}, 0], /* c */ "b": {"x": 3, "y": 4, "x": 5}}', false],
    ["a neighbour changed", '"n", {"k": 0}], /* c */ "b": {"x": 3, "y": 4, "x": 5}}', false],
    ["another key changed", '"n", {"k": 2}], /* c */ "b": {"x": 3, "y": 0, "x": 5}}', false],
    ["a number turned into a string", '"n", {"k": 2}], /* c */ "b": {"x": 3, "y": "4", "x": 5}}', false],
    ["a key renamed", '"n", {"k": 2}], /* c */ "b": {"x": 3, "z": 4, "x": 5}}', false],
    ["a key lost", '"n", {"k": 2}]} /* c */', false],
    ["a key added", '"n", {"k": 2}], /* c */ "b": {"x": 3, "y": 4, "x": 5}, "c": 0}', false],
    ["a hidden duplicate changed", '"n", {"k": 2}], /* c */ "b": {"x": 0, "y": 4, "x": 5}}', false],
    ["keys in another order", '"n", {"k": 2}], /* c */ "b": {"y": 4, "x": 3, "x": 5}}', false],
    ["a comment lost", '"n", {"k": 2}], "b": {"x": 3, "y": 4, "x": 5}}', false],
    ["a comment changed", '"n", {"k": 2}], /* d */ "b": {"x": 3, "y": 4, "x": 5}}', false],
    ["a comment added", '"n", {"k": 2}], /* c */ "b": {"x": 3, "y": 4, "x": 5}} // d', false],
  ])("%s", (_, rest, verdict) => {
    expect(accepts(edit, `{"a": [1, ${rest}`)).toBe(verdict);
  });
  test("the key above it renamed", () => {
    const right = TEXT.replace("1,", '1, "n",');
    expect(accepts(edit, right)).toBeTrue();
    expect(accepts(edit, right.replace('"a"', '"z"'))).toBeFalse();
  });
  test("nothing at all", () => expect(accepts(edit, "")).toBeFalse());
  test("another root", () => expect(accepts(edit, "[1]")).toBeFalse());
});

describe("after a new key", () => {
  const edit: Edit = { op: "set", path: ["n"], value: [] };
  test("the right result", () => expect(accepts(edit, `${TEXT.slice(0, -1)}, "n": []}`)).toBeTrue());
  test("another name", () => expect(accepts(edit, `${TEXT.slice(0, -1)}, "m": []}`)).toBeFalse());
});

describe("after a removal", () => {
  const edit: Edit = { op: "remove", path: ["a"] };
  const gone = cut(TEXT.indexOf('"a"'), TEXT.indexOf('"b"'));
  test("the right result", () => {
    expect(accepts(edit, '{"b": {"x": 3, "y": 4, "x": 5}}', [gone])).toBeTrue();
  });
  test("a comment that was not in the cut", () => {
    expect(accepts(edit, '{"b": {"x": 3, "y": 4, "x": 5}}', [cut(gone.start, gone.start + 5)])).toBeFalse();
  });
  test("nothing was removed", () => expect(accepts(edit, TEXT)).toBeFalse());
  test("too much was removed", () => expect(accepts(edit, "{}", [gone])).toBeFalse());
});

describe("after a replacement", () => {
  const edit: Edit = { op: "set", path: ["a", 1, "k"], value: { z: [true] } };
  const replaced = (value: string) => TEXT.replace('"k": 2', `"k": ${value}`);
  test("the right result", () => expect(accepts(edit, replaced('{"z": [true]}'))).toBeTrue());
  test("half of the value", () => expect(accepts(edit, replaced('{"z": []}'))).toBeFalse());
  test("a neighbour changed", () => {
    expect(accepts(edit, replaced('{"z": [true]}').replace("[1,", "[0,"))).toBeFalse();
  });
});

test("an unchanged document must stay the same text", () => {
  const edit: Edit = { op: "set", path: ["a", 0], value: 1 };
  expect(accepts(edit, TEXT)).toBeTrue();
  expect(accepts(edit, `${TEXT} `, [insertAt(TEXT.length, " ")])).toBeFalse();
});

test("a removed root must leave nothing", () => {
  expect(accepts({ op: "remove", path: [] }, "/* c */", [])).toBeTrue();
  expect(accepts({ op: "remove", path: [] }, "0 /* c */", [])).toBeFalse();
});
