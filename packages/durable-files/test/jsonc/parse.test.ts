import { describe, expect, test } from "bun:test";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { findDuplicates } from "@atomic/durable-files/jsonc/part";
import { nodeAt } from "@atomic/durable-files/jsonc/path";
import { toValue } from "@atomic/durable-files/jsonc/value";

function read(text: string): unknown {
  const { root } = parseJsonc(text);
  return root && toValue(root);
}

function refusal(text: string): DurableError {
  try {
    parseJsonc(text, { file: "opencode.json", empty: "refuse" });
  } catch (error) {
    if (error instanceof DurableError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(text)}`);
}

describe("what is read", () => {
  test.each([
    ["{}", "{}"],
    ["[1, 2,]", "[1,2]"],
    ['{"a": {"b": [null, true, false]},}', '{"a":{"b":[null,true,false]}}'],
    ["// top\n[ /* one */ 1 // end\n]", "[1]"],
    ["[1]// no line break at the end", "[1]"],
    ["/**/[/***/]/*/ */", "[]"],
    ["\ufeff[1]", "[1]"],
    ["[1,\r2,\r\n3,\n\t4]", "[1,2,3,4]"],
    ["[0, -0.0, 1e3, 1E-2, 12.5e+1]", "[0,0,1000,0.01,125]"],
    ['["\\u00e9\\n\\/", "😀", "\\ud83d\\ude00"]', '["é\\n/","😀","😀"]'],
    ['"//"', '"//"'],
    ["null", "null"],
  ])("%j is %s", (text, json) => {
    expect(JSON.stringify(read(text))).toBe(json);
  });

  test.each(["", " \r\n\t", "\ufeff", "// nothing", "/* nothing */\n"])("%j holds no value", (text) => {
    expect(parseJsonc(text).root).toBeUndefined();
    expect(refusal(text).message).toContain("expected a value, found the end of the file");
  });

  test("nodes know their position", () => {
    const text = '{ "a" : [ true ] }';
    const document = parseJsonc(text);
    const list = nodeAt(document, ["a"])!;
    expect(text.slice(list.start, list.end)).toBe("[ true ]");
    const root = document.root!;
    const property = root.kind === "object" ? root.properties[0]! : undefined;
    expect(text.slice(property!.start, property!.end)).toBe('"a" : [ true ]');
    expect(text.slice(property!.key.start, property!.key.end)).toBe('"a"');
  });

  test("comments are listed in order, without their line break", () => {
    const text = '// a\r\n[1, /* b */ "// no"] // c';
    const { comments } = parseJsonc(text);
    expect(comments.map(({ start, end }) => text.slice(start, end))).toEqual(["// a", "/* b */", "// c"]);
  });

  test.each([
    [["a", 1], 2],
    [["a", -1], undefined],
    [["a", "length"], undefined],
    [["b"], undefined],
    [["toString"], undefined],
    [["a", 0, "x"], undefined],
  ])("the node at %j is %p", (path, value) => {
    const node = nodeAt(parseJsonc('{"a": [1, 2]}'), path);
    expect(node && toValue(node)).toBe(value);
  });
});

describe("what is refused", () => {
  test.each([
    ["{", "1:2", 'expected a property name in double quotes or "}"', "found the end of the file"],
    ["[1,\n 2", "2:3", '"," or "]" after the item', "the array opened at 1:1"],
    ["[1 2]", "1:4", '"," or "]"', 'found "2"'],
    ['{"a" 1}', "1:6", 'expected ":"', 'found "1"'],
    ['{"a":1 "b":2}', "1:8", '"," or "}"', "found a string"],
    ["{a: 1}", "1:2", "a property name in double quotes", 'found "a"'],
    ["{'a': 1}", "1:2", "a property name in double quotes", 'found "\'"'],
    ["{“a”: 1}", "1:2", "a property name in double quotes", "(U+201C)"],
    ["[,]", "1:2", "expected a value", 'found ","'],
    ["[1,,2]", "1:4", "expected a value", 'found ","'],
    ["{,}", "1:2", "expected a property name", 'found ","'],
    ['{"a":}', "1:6", "expected a value", 'found "}"'],
    ["[1}", "1:3", '"," or "]"', 'found "}"'],
    ["[]]", "1:3", "expected the end of the file", 'found "]"'],
    ["[] []", "1:4", "expected the end of the file", 'found "["'],
    ["[tru]", "1:2", "expected a value", 'found "tru"'],
    ["[undefined]", "1:2", "expected a value", 'found "undefined"'],
    ["[NaN]", "1:2", "expected a value", 'found "NaN"'],
    ["[True]", "1:2", "expected a value", 'found "True"'],
    ["[01]", "1:3", "after a leading 0", 'found "1"'],
    ["[-]", "1:3", 'a digit after "-"', 'found "]"'],
    ["[1.]", "1:3", "the number to end", 'found "."'],
    ["[.5]", "1:2", "expected a value", 'found ".5"'],
    ["[+1]", "1:2", "expected a value", 'found "+1"'],
    ["[1e]", "1:3", "the number to end", 'found "e"'],
    ["[0x10]", "1:3", "the number to end", 'found "x10"'],
    ['["a', "1:2", "never closed", "found the end of the file"],
    ['["a\n"]', "1:2", "never closed", "found the end of the line"],
    ['["a\tb"]', "1:4", "a printable character", "U+0009"],
    ['["\u0000"]', "1:3", "a printable character", "U+0000"],
    ['["\\x41"]', "1:3", "invalid JSON escape", "four hex digits"],
    ['["\\u12g4"]', "1:3", "invalid JSON escape", "four hex digits"],
    ['["\\', "1:3", "invalid JSON escape", "four hex digits"],
    ["[1 /* x ]", "1:4", "never closed", 'expected "*/"'],
    ["[1 / 2]", "1:4", "a comment", 'found "/"'],
    ["# yaml", "1:1", "expected a value", 'found "#"'],
    ["[\u00a01]", "1:2", "expected a value", "U+00A0"],
    ["[\u2028]", "1:2", "expected a value", "U+2028"],
    ["[\ufeff]", "1:2", "expected a value", "U+FEFF"],
    ["[\u001b[31m]", "1:2", "expected a value", "U+001B"],
    ["\r\n\r\n\t x", "3:3", "expected a value", 'found "x"'],
    ["\r\r x", "3:2", "expected a value", 'found "x"'],
    ["\ufeffx", "1:1", "expected a value", 'found "x"'],
    ["/* 😀\n */ [😀]", "2:6", "expected a value", '"😀" (U+1F600)'],
  ])("%j at %s: %s, %s", (text, place, expected, found) => {
    const error = refusal(text);
    expect(error.code).toBe("syntax");
    expect(error.at).toBe(`opencode.json:${place}`);
    expect(error.message).toStartWith(`opencode.json:${place}: `);
    expect(error.message).toContain(expected);
    expect(error.message).toContain(found);
    expect(error.hint).toBeString();
  });

  test("a text without a name is called <text>", () => {
    expect(() => parseJsonc("[")).toThrow("<text>:1:2: expected");
  });

  test("errors never carry raw control or invisible characters of the text", () => {
    for (let code = 0; code < 0x3000; code++) {
      const { message } = refusal(`[${String.fromCharCode(code)}!`);
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  });
});

describe("depth", () => {
  test("two hundred levels are read, one more is refused at its bracket", () => {
    expect(read("[".repeat(200) + "]".repeat(200))).toBeArray();
    expect(refusal("[".repeat(201) + "]".repeat(201)).at).toBe("opencode.json:1:201");
    expect(refusal('{"a":'.repeat(201)).message).toContain("nested deeper than 200 levels");
  });

  test.each(["[", '{"a":', '[{"a":'])("a million %s end in an error, not in a stack overflow", (unit) => {
    expect(refusal(unit.repeat(1_000_000)).code).toBe("syntax");
  });
});

describe("hostile keys", () => {
  test("__proto__ is data and never a prototype", () => {
    const value = read('{"__proto__": {"x": 1}, "a": {"__proto__": null}}') as Record<string, Record<string, unknown>>;
    expect(Object.keys(value)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(value.x).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"a":{"__proto__":null}}');
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test("a key that is not in the text is undefined, whatever its name", () => {
    const value = read("{}") as Record<string, unknown>;
    for (const key of ["constructor", "toString", "hasOwnProperty", "__proto__"]) expect(value[key]).toBeUndefined();
  });
});

describe("duplicate keys", () => {
  test("the last one wins, as in OpenCode", () => {
    const text = '{"a": 1, "b": 2, "a": 3}';
    expect(read(text)).toEqual({ a: 3, b: 2 });
    expect(nodeAt(parseJsonc(text), ["a"])).toMatchObject({ value: 3 });
  });

  test("every place is listed, also for keys that only look different", () => {
    const text = '{\n  "a": [{"x": 1, "\\u0078": 2}],\n  "b": 1,\n  "a": {},\n  "a": 0\n}';
    expect(findDuplicates(parseJsonc(text))).toEqual([
      {
        path: ["a"],
        positions: [
          { line: 2, column: 3 },
          { line: 4, column: 3 },
          { line: 5, column: 3 },
        ],
      },
      {
        path: ["a", 0, "x"],
        positions: [
          { line: 2, column: 10 },
          { line: 2, column: 18 },
        ],
      },
    ]);
  });

  test("the same key in different objects is not a duplicate", () => {
    expect(findDuplicates(parseJsonc('{"a": {"a": [{"a": 1}, {"a": 1}]}}'))).toEqual([]);
    expect(findDuplicates(parseJsonc("// nothing"))).toEqual([]);
  });
});
