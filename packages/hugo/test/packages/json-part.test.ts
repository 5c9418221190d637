import { describe, expect, test } from "bun:test";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { readJsonConfig, readJsonObject } from "../../src/packages/json-part.ts";
import { refusal } from "../refusal.ts";

function read(text: string): JsonPart {
  return readJsonObject(text, { file: "x.json", code: "manifest-invalid", hint: "Correct it." });
}

describe("JSON that others wrote", () => {
  test("returns its values", () => {
    const root = read('{"name": "a", "list": ["b", 1], "map": {"__proto__": true}, "count": 3} // end');
    expect(root.get("name").string()).toBe("a");
    expect(root.get("none").optionalString()).toBeUndefined();
    expect(root.get("none").items()).toEqual([]);
    expect(root.get("none").entries()).toEqual([]);
    expect(root.get("none").get("deeper").isMissing).toBe(true);
    expect(
      root
        .get("list")
        .items()
        .map((item) => item.value()),
    ).toEqual(["b", 1]);
    expect(
      root
        .get("map")
        .entries()
        .map(([key, part]) => [key, part.value()]),
    ).toEqual([["__proto__", true]]);
    expect(root.get("count").integer()).toBe(3);
    expect(root.get("name").oneOf(["a", "b"])).toBe("a");
    expect(root.get("none").value()).toBeUndefined();
  });

  test("has no property that it does not have", () => {
    expect(read("{}").get("constructor").isMissing).toBe(true);
  });

  test.each<[string, (root: JsonPart) => unknown, string]>([
    ['{"a": 1}', (root) => root.get("a").string(), "x.json:1:7: a is not a string"],
    ['{\n  "a": {"b": []}\n}', (root) => root.get("a").get("b").string(), "x.json:2:14: a.b is not a string"],
    ['{"a": 1}', (root) => root.get("b").string(), "x.json:1:1: b is missing"],
    ['{"a": {}}', (root) => root.get("a").get("b").string(), "x.json:1:7: a.b is missing"],
    ['{"a": 1}', (root) => root.get("a").items(), "x.json:1:7: a is not an array"],
    ['{"a": 1}', (root) => root.get("a").entries(), "x.json:1:7: a is not an object"],
    ['{"a": 1}', (root) => root.get("a").get("b"), "x.json:1:7: a is not an object"],
    ['{"a": 1.5}', (root) => root.get("a").integer(), "x.json:1:7: a is not a whole number"],
    ['{"a": -1}', (root) => root.get("a").integer(), "x.json:1:7: a is not a whole number"],
    ["{}", (root) => root.get("a").integer(), "x.json:1:1: a is missing"],
    ['{"a": "\\u001b"}', (root) => root.get("a").oneOf(["b"]), 'x.json:1:7: a is "\\u001b", but must be one of b'],
    ['{"a": [1]}', (root) => root.get("a").items()[0]?.string(), "x.json:1:8: a[0] is not a string"],
    ["[]", () => undefined, "x.json:1:1: the whole value is not an object"],
    ["{", () => undefined, "x.json:1:2: expected"],
    ['{"a": 1, "a": 2}', () => undefined, "x.json:1:10: a appears more than once"],
    ['{"a": {"b": 1,\n"b": 2}}', () => undefined, "x.json:2:1: a.b appears more than once"],
  ])("%s is refused with its place", (text, act, message) => {
    const error = refusal(() => act(read(text)));
    expect(error.message).toStartWith(message);
    expect(error.at).toBe(/^x\.json:\d+:\d+/.exec(message)?.[0]);
    expect(error.hint).not.toBe("");
  });

  test("that is empty has no place to point at", () => {
    expect(refusal(() => read("")).message).toBe("x.json: the whole value is missing");
  });
});

describe("a config that others know more about", () => {
  const config = (text: string) =>
    readJsonConfig(text, { file: "x.json", code: "config-invalid", hint: "Correct it." });

  test("may be empty or repeat a key", () => {
    expect(config("").isMissing).toBe(true);
    expect(config("// nothing").get("a").isMissing).toBe(true);
    expect(config('{"a": 1, "a": 2}').get("a").value()).toBe(2);
  });

  test("must be an object that parses", () => {
    expect(refusal(() => config("[]")).message).toBe("x.json:1:1: the whole value is not an object");
    expect(refusal(() => config('{"a" 1}')).at).toBe("x.json:1:6");
  });
});
