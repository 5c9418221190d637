import { describe, expect, test } from "bun:test";
import { DurableError } from "@atomic/durable-files/errors";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import type { JsonPath } from "@atomic/durable-files/jsonc/path";
import { type JsonValue, toValue } from "@atomic/durable-files/jsonc/value";

function refusal(text: string, edit: Edit): DurableError {
  try {
    editJsonc(text, [edit], { file: "opencode.json" });
  } catch (error) {
    if (error instanceof DurableError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(text)}`);
}

describe("adding a plugin", () => {
  test.each([
    ["{}", '{\n  "plugin": ["x"]\n}'],
    ["{}\r\n", '{\r\n  "plugin": ["x"]\r\n}\r\n'],
    ["", '{\n  "plugin": ["x"]\n}\n'],
    ["// mine\n", '// mine\n{\n  "plugin": ["x"]\n}\n'],
    ["// mine", '{\n  "plugin": ["x"]\n}\n// mine'],
    ["\ufeff", '\ufeff{\n  "plugin": ["x"]\n}\n'],
    ["{ }", '{ "plugin": ["x"] }'],
    ["{\n}", '{\n\n  "plugin": ["x"]\n}'],
    ["{\n\n}", '{\n  "plugin": ["x"]\n\n}'],
    ['{"a":1}', '{"a":1,"plugin":["x"]}'],
    ['{ "a": 1 }', '{ "a": 1, "plugin": ["x"] }'],
    ['{ "a" : 1 }', '{ "a" : 1, "plugin" : ["x"] }'],
    ['{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"plugin": ["x"]\n}'],
    ['{\r\n    "a": 1,\r\n}', '{\r\n    "a": 1,\r\n    "plugin": ["x"],\r\n}'],
    ['{"plugin":[]}', '{"plugin":["x"]}'],
    ['{"plugin":["a"]}', '{"plugin":["a","x"]}'],
    ['{"plugin": ["a"]}', '{"plugin": ["a", "x"]}'],
    ['{"plugin": [ "a" ]}', '{"plugin": [ "a", "x" ]}'],
    ['{"plugin": ["a","b"]}', '{"plugin": ["a","b","x"]}'],
    ['{"plugin": ["a",  "b"]}', '{"plugin": ["a",  "b",  "x"]}'],
    ['{"plugin": ["a",]}', '{"plugin": ["a", "x",]}'],
    ['{\n  "plugin": [\n    "a"\n  ]\n}', '{\n  "plugin": [\n    "a",\n    "x"\n  ]\n}'],
    ['{\n  "plugin": ["a",\n             "b"]\n}', '{\n  "plugin": ["a",\n             "b",\n             "x"]\n}'],
  ])("to %j gives %j", (before, after) => {
    const edits = [{ op: "insert", path: ["plugin"], value: "x" }] as const;
    expect(editJsonc(before, edits, { empty: "absent" })).toBe(after);
  });
});

describe("setting a value", () => {
  const set = (text: string, path: JsonPath, value: JsonValue, first = false) =>
    editJsonc(text, [{ op: "set", path, value, first }]);

  test("replaces only the value", () => {
    expect(set('{"a" : 1 , "b":2}', ["a"], null)).toBe('{"a" : null , "b":2}');
    expect(set("[1, 2, 3]", [1], "two")).toBe('[1, "two", 3]');
    expect(set(" 1 // root", [], true)).toBe(" true // root");
  });

  test("changes no byte when the value is already there", () => {
    const text = '{"a": [1.0, {"y": 2, "x": /* kept */ 1}]}';
    expect(set(text, ["a"], [1, { x: 1, y: 2 }])).toBe(text);
  });

  test("creates missing parents", () => {
    expect(set('{\n  "a": 1\n}', ["agent", "build", "model"], "x/y")).toBe(
      '{\n  "a": 1,\n  "agent": {\n    "build": {\n      "model": "x/y"\n    }\n  }\n}',
    );
    expect(set('{"agent":{"x":{}}}', ["agent", "x", "tools", "bash"], false)).toBe(
      '{"agent":{"x":{"tools":{"bash":false}}}}',
    );
  });

  test.each([
    ['{"a": 1, "c": 3}', '{"a": 1, "b": 2, "c": 3}'],
    ['{"c": 3, "d": 4}', '{"b": 2, "c": 3, "d": 4}'],
    ['{"@x/y": 0, "a": 1}', '{"@x/y": 0, "a": 1, "b": 2}'],
    ['{"c": 3, "a": 1}', '{"c": 3, "a": 1, "b": 2}'],
    ["{}", '{"b": 2}'],
  ])("puts a new key into %j where its order puts it", (before, after) => {
    const value = editJsonc(before, [{ op: "set", path: ["b"], value: 2, sorted: true }]);
    expect(value.replaceAll(/\s+/g, " ").replaceAll("{ ", "{").replaceAll(" }", "}")).toBe(after);
  });

  test("puts a new key first on request", () => {
    expect(set('{\n  "a": 1\n}', ["$schema"], "s", true)).toBe('{\n  "$schema": "s",\n  "a": 1\n}');
    expect(set('{ "a": 1 }', ["$schema"], "s", true)).toBe('{ "$schema": "s", "a": 1 }');
  });

  test("prints nested values with the indentation and line breaks of the file", () => {
    const long = "x".repeat(80);
    expect(set('{\r\n\t"a": 1\r\n}', ["b"], { list: ["one", { k: 1 }], long: [long], empty: {}, none: [] })).toBe(
      [
        "{",
        '\t"a": 1,',
        '\t"b": {',
        '\t\t"list": ["one", { "k": 1 }],',
        '\t\t"long": [',
        `\t\t\t"${long}"`,
        "\t\t],",
        '\t\t"empty": {},',
        '\t\t"none": []',
        "\t}",
        "}",
      ].join("\r\n"),
    );
  });

  test("prints nested values on one line where the neighbours share one", () => {
    expect(set('{"a": 1, "b": 2}', ["b"], { c: [1] })).toBe('{"a": 1, "b": {"c": [1]}}');
    expect(set('{ "a": 1, "b": 2 }', ["b"], { c: [1] })).toBe('{ "a": 1, "b": { "c": [1] } }');
    expect(set('{"a":1,"b":2}', ["c"], { c: [1, {}] })).toBe('{"a":1,"b":2,"c":{"c":[1,{}]}}');
  });

  test("prints nested values over several lines in comma-first style too", () => {
    expect(set('{\n    "a": 1\n  , "b": 2\n}', ["c"], { d: 1 }, true)).toBe(
      '{\n    "c": {\n        "d": 1\n    }\n  , "a": 1\n  , "b": 2\n}',
    );
  });

  test("takes the indentation of the nearest container that shows one", () => {
    expect(set('{\n    "a": {\n      "b": {}\n    }\n}', ["a", "b", "c"], 1)).toBe(
      '{\n    "a": {\n      "b": {\n        "c": 1\n      }\n    }\n}',
    );
  });

  test("writes keys and strings that need escapes", () => {
    const text = set("{}", ['a"\n'], "\u0000\ud800\u2028");
    expect(text).toBe('{\n  "a\\"\\n": "\\u0000\\ud800\u2028"\n}');
  });

  test("treats __proto__ as a key like any other", () => {
    const text = set("{}", ["__proto__", "constructor"], JSON.parse('{"__proto__": 1}'));
    expect(JSON.stringify(toValue(parseJsonc(text).root!))).toBe('{"__proto__":{"constructor":{"__proto__":1}}}');
    expect(editJsonc(text, [{ op: "remove", path: ["__proto__"] }])).toBe("{}");
  });
});

describe("several edits", () => {
  test("are applied in order, each to the result of the one before", () => {
    const edits: readonly Edit[] = [
      { op: "insert", path: ["plugin"], value: "a" },
      { op: "insert", path: ["plugin"], value: "b", index: 0 },
      { op: "set", path: ["plugin", 1], value: ["a", { k: 1 }] },
      { op: "set", path: ["model"], value: "m", first: true },
      { op: "remove", path: ["plugin", 0] },
    ];
    expect(editJsonc("{}", edits)).toBe('{\n  "model": "m",\n  "plugin": [["a", { "k": 1 }]]\n}');
  });

  test("that are empty return the same text, but only if it parses", () => {
    expect(editJsonc(" { } ", [])).toBe(" { } ");
    expect(() => editJsonc("{", [])).toThrow(DurableError);
  });

  test("leave no trace when they are undone in any order", () => {
    const text = '{\n  "plugin": [] // none\n}\n';
    const added = editJsonc(
      text,
      ["a", "b", "c"].map((value) => ({ op: "insert", path: ["plugin"], value })),
    );
    for (const order of [
      [0, 0, 0],
      [2, 1, 0],
      [1, 0, 0],
      [0, 1, 0],
    ]) {
      expect(
        editJsonc(
          added,
          order.map((index) => ({ op: "remove", path: ["plugin", index] })),
        ),
      ).toBe(text);
    }
  });
});

describe("a result that went wrong", () => {
  const text = '{"a": 1, /* c */ "plugin": ["x"]}';

  /** Damages what is copied from the start of the text, as a fault in our own splicing would. */
  function editDamaged(edit: Edit, damage: (part: string) => string): string {
    const { slice } = String.prototype;
    String.prototype.slice = function (this: string, from?: number, to?: number) {
      const part = slice.call(this, from, to);
      return from === 0 && String(this) === text ? damage(part) : part;
    };
    try {
      return editJsonc(text, [edit], { file: "opencode.json" });
    } finally {
      Object.assign(String.prototype, { slice });
    }
  }

  const insert: Edit = { op: "insert", path: ["plugin"], value: "y" };
  const remove: Edit = { op: "remove", path: ["plugin", 0] };
  const set: Edit = { op: "set", path: ["plugin"], value: null };

  test.each<[string, readonly Edit[], (part: string) => string]>([
    ["does not parse", [insert, remove, set], (part) => part.replace("{", "")],
    ["changes another value", [insert, remove, set], (part) => part.replace("1", "2")],
    ["loses a comment", [insert, remove, set], (part) => part.replace("/* c */", "")],
    ["loses a space, so it cannot be undone", [insert], (part) => part.replace(" ", "")],
  ])("because it %s is not returned", (_, edits, damage) => {
    for (const edit of edits) {
      expect(editDamaged(edit, (part) => part)).toStartWith('{"a": 1, /* c */ "plugin": ');
      expect(() => editDamaged(edit, damage)).toThrow(
        expect.objectContaining({ code: "internal", at: "opencode.json" }),
      );
    }
  });
});

describe("an edit is refused", () => {
  const insert = (path: JsonPath, index?: number): Edit =>
    index === undefined ? { op: "insert", path, value: 1 } : { op: "insert", path, value: 1, index };
  const set = (path: JsonPath, ...value: unknown[]): Edit => ({
    op: "set",
    path,
    value: (value.length === 0 ? 1 : value[0]) as JsonValue,
  });
  const remove = (path: JsonPath): Edit => ({ op: "remove", path });

  test.each<[string, string, Edit, string, string]>([
    [
      "when plugin is a string",
      '{"plugin": "a"}',
      insert(["plugin"]),
      "1:12",
      "plugin is a string, but the edit needs an array",
    ],
    [
      "when plugin is an object",
      '{"plugin": {}}',
      insert(["plugin"]),
      "1:12",
      "plugin is an object, but the edit needs an array",
    ],
    ["when a parent is null", '{"a": null}', set(["a", "b"]), "1:7", "a is null, but the edit needs an object"],
    ["when a parent is an array", '{"a": []}', set(["a", "b"]), "1:7", "a is an array, but the edit needs an object"],
    ["for a position in an object", '{"a": {}}', set(["a", 0]), "1:7", "a is an object, but the edit needs an array"],
    ["when the root is not an object", "\n[]", set(["a"]), "2:1", "the whole value is an array"],
    [
      "for an item that is not there",
      '{"a": [1]}',
      set(["a", 1]),
      "1:7",
      "a[1] does not exist; the array has length 1",
    ],
    ["for a position past the end", '{"a": [1]}', insert(["a"], 2), "1:7", "a[2] does not exist"],
    ["for a negative position", '{"a": [1]}', insert(["a"], -1), "1:7", "a[-1] does not exist"],
    ["for a position that is not a number", '{"a": [1]}', insert(["a"], Number.NaN), "1:7", "a[NaN] does not exist"],
    ["when a key appears twice", '{"a": 1,\n "a": 2}', set(["a"]), "2:2", "a appears more than once (at 1:2 and 2:2)"],
    ["when a parent appears twice", '{"a": {},\n "\\u0061": {}}', remove(["a", "b"]), "2:2", "(at 1:2 and 2:2)"],
    ["for an array under a missing key", "{}", set(["a", 0]), "", "a does not exist, so a[0] cannot be reached"],
    ["to remove what is not there", "{}", remove(["x y"]), "", '["x y"] does not exist'],
    [
      "for an unknown operation",
      "{}",
      { ...set(["a"]), op: "append" } as unknown as Edit,
      "",
      '"append" is not an edit operation',
    ],
    ["for undefined", "{}", set(["a"], undefined), "", "the whole value is of type undefined"],
    ["for NaN", "{}", set(["a"], { b: [Number.NaN] }), "", "b[0] is NaN"],
    ["for a hole in an array", "{}", set(["a"], new Array(1)), "", "[0] is of type undefined"],
    ["for a function", "{}", set(["a"], { "x\u202e": () => 1 }), "", '["x\\u{202e}"] is of type function'],
    ["for a date", "{}", set(["a"], new Date(0)), "", "the whole value is a class instance"],
    ["for a bigint", "{}", set(["a"], 1n), "", "of type bigint"],
  ])("%s", (_, text, edit, place, message) => {
    const error = refusal(text, edit);
    if (place) expect(error.at).toBe(`opencode.json:${place}`);
    if (place) expect(error.message).toStartWith(`opencode.json:${place}: `);
    expect(error.code).toBe("shape");
    expect(error.message).toContain(message);
    expect(error.hint).toBeString();
  });

  test("to remove from nothing", () => {
    const edit = () => editJsonc("// empty", [remove([])], { empty: "absent" });
    expect(edit).toThrow(expect.objectContaining({ code: "shape" }));
  });

  test.each([
    ["", "1:1"],
    ["\ufeff", "1:1"],
    [" \n\n", "3:1"],
    ["// mine\n", "2:1"],
    ["/* all is gone */", "1:18"],
  ])("when %j is all there is, unless the caller says that the file is new", (text, place) => {
    for (const edit of [insert(["plugin"]), set(["a"]), remove(["a"])]) {
      const error = refusal(text, edit);
      expect(error).toMatchObject({ code: "syntax", at: `opencode.json:${place}` });
      expect(error.message).toBe(`opencode.json:${place}: expected a value, found the end of the file`);
      expect(error.hint).toBe(
        "The file contains no value; it may have been emptied. Restore it, put {} in it, or delete it.",
      );
    }
    expect(editJsonc(text, [set(["a"])], { empty: "absent" })).toContain('"a": 1');
  });

  test("when the text does not parse, whatever the edit", () => {
    for (const edit of [insert(["plugin"]), set([]), remove(["plugin"])]) {
      expect(refusal('{"plugin": [}', edit)).toMatchObject({ code: "syntax", at: "opencode.json:1:13" });
    }
  });

  test("for a value in a cycle or deeper than the parser reads", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(refusal("{}", set(["a"], cycle)).message).toContain("nested too deeply or circular");
    const path = Array.from({ length: 201 }, () => "a");
    expect(refusal("{}", set(path)).message).toContain("nested too deeply");
    expect(editJsonc("{}", [set(path.slice(1))])).toContain(": 1");
  });

  test("but another key than the duplicated one can still be edited", () => {
    expect(editJsonc('{"a": 1, "a": 2}', [set(["b"])])).toBe('{"a": 1, "a": 2, "b": 1}');
    expect(editJsonc('{"a": 1, "b": 3, "a": 2}', [remove(["b"])])).toBe('{"a": 1, "a": 2}');
  });
});
