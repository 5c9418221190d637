import { describe, expect, test } from "bun:test";
import { scanPlainYaml } from "../src/entities/frontmatter/scan.ts";

describe("reads what people write", () => {
  test.each<[string, string, Record<string, unknown>]>([
    ["nothing", "", {}],
    ["blank lines and comments", "\n# a\n  # b\n\n", {}],
    ["a plain scalar", "name: reviewer", { name: "reviewer" }],
    ["spaces around a value", "name:   a b   ", { name: "a b" }],
    ["a colon inside a word", "model: openai:gpt", { model: "openai:gpt" }],
    ["signs in a plain scalar", "tools: Bash(git:*), Edit", { tools: "Bash(git:*), Edit" }],
    ["brackets after the start", "hint: <file> [opts]", { hint: "<file> [opts]" }],
    ["dashes", "hint: --amend -x", { hint: "--amend -x" }],
    ["a hash without a space", "color: a#b", { color: "a#b" }],
    ["a comment after a value", "a: b # c", { a: "b" }],
    ["a comment with a colon", "a: b # c: d", { a: "b" }],
    ["text beyond ASCII", "name: größe 😀\u00a0", { name: "größe 😀\u00a0" }],
    ["keys of many kinds", "a-b: 1\nc d: 2\n/x: 3\n1: 4\nnull: 5", { "a-b": 1, "c d": 2, "/x": 3, "1": 4, null: 5 }],
    ["quoted keys", "\"*\": ask\n'git diff *': allow", { "*": "ask", "git diff *": "allow" }],
    ["an empty quoted key", '"": x', { "": "x" }],
    ["a key without a value", "a:\nb: c", { a: null, b: "c" }],
    ["a key with a comment only", "a: # c\nb: c", { a: null, b: "c" }],
    ["double quotes", 'a: "x: y # z"', { a: "x: y # z" }],
    ["escapes", String.raw`a: "1\n2\t3\"4\\5\/6\ 7"`, { a: '1\n2\t3"4\\5/6 7' }],
    ["single quotes", "a: 'it''s: # \\n'", { a: "it's: # \\n" }],
    ["empty quotes", "a: ''\nb: \"\"", { a: "", b: "" }],
    ["a comment after quotes", "a: 'x' # y", { a: "x" }],
    ["a flow list", "a: [Read, Grep,Glob]", { a: ["Read", "Grep", "Glob"] }],
    ["an empty flow list", "a: []\nb: [ ]", { a: [], b: [] }],
    ["a flow list with quotes", "a: [ 'x, y' , \"z]\", w ]", { a: ["x, y", "z]", "w"] }],
    ["a comma at the end", "a: [x, y,]", { a: ["x", "y"] }],
    ["typed flow items", "a: [1, true, ~, no]", { a: [1, true, null, "no"] }],
    ["rules in a flow list", "a: [Bash(git:*), a b  , c#d]", { a: ["Bash(git:*)", "a b", "c#d"] }],
    ["an empty flow map", "a: {}", { a: {} }],
    ["a block list", "a:\n  - x\n  - 'y'\n  - 3\nb: c", { a: ["x", "y", 3], b: "c" }],
    ["a block list under its key", "a:\n- x\n-   y\nb: c", { a: ["x", "y"], b: "c" }],
    ["empty list items", "a:\n  -\n  - # c\n  - x", { a: [null, null, "x"] }],
    ["flow lists in a block list", "a:\n  - [x, y]\n  - []", { a: [["x", "y"], []] }],
    ["comments between items", "a:\n  - x\n# c\n\n    # d\n  - y", { a: ["x", "y"] }],
    ["a map", "p:\n  edit: deny\n  bash: ask\nq: r", { p: { edit: "deny", bash: "ask" }, q: "r" }],
    ["a map in a map", 'p:\n  bash:\n    "*": ask\n  edit: deny', { p: { bash: { "*": "ask" }, edit: "deny" } }],
    ["a list in a map", "p:\n  a:\n  - x\n  b: y", { p: { a: ["x"], b: "y" } }],
    ["CRLF", "a: b\r\nc:\r\n  - d\r\n", { a: "b", c: ["d"] }],
  ])("%s", (_name, text, values) => {
    expect(scanPlainYaml(text) as unknown).toEqual(values);
  });
});

describe("reads block scalars", () => {
  test.each<[string, string, Record<string, unknown>]>([
    ["literal", "a: |\n  x\n  y\nb: c", { a: "x\ny\n", b: "c" }],
    ["literal, at the end", "a: |\n  x\n  y", { a: "x\ny\n" }],
    ["literal with a deeper line", "a: |\n  x\n    y\n  z\n", { a: "x\n  y\nz\n" }],
    ["literal with blank lines", "a: |\n\n  x\n\n  y\n\n", { a: "\nx\n\ny\n" }],
    ["strip", "a: |-\n  x\n\nb: c", { a: "x", b: "c" }],
    ["keep", "a: |+\n  x\n\nb: c", { a: "x\n\n", b: "c" }],
    ["keep, at the end", "a: |+\n  x\n\n", { a: "x\n\n" }],
    ["keep, without a last newline", "a: |+\n  x", { a: "x\n" }],
    ["folded", "a: >\n  x\n  y\n\n  z\nb: c", { a: "x y\nz\n", b: "c" }],
    ["folded, stripped", "a: >-\n  x\n  y\n", { a: "x y" }],
    ["folded with two blank lines", "a: >-\n  x\n\n\n  y", { a: "x\n\ny" }],
    ["what would be YAML elsewhere", "a: |\n  # x\n  - y: z\n  'q\n", { a: "# x\n- y: z\n'q\n" }],
    ["a comment after the header", "a: | # c\n  x\n", { a: "x\n" }],
    ["in a map", "p:\n  a: |\n    x\n  b: y", { p: { a: "x\n", b: "y" } }],
    ["with CRLF", "a: |\r\n  x\r\n  y\r\n", { a: "x\ny\n" }],
  ])("%s", (_name, text, values) => {
    expect(scanPlainYaml(text) as unknown).toEqual(values);
  });
});

describe("types plain scalars by the YAML 1.2 core schema", () => {
  test.each<[string, unknown]>([
    ["true", true],
    ["False", false],
    ["TRUE", true],
    ["tRue", "tRue"],
    ["yes", "yes"],
    ["no", "no"],
    ["on", "on"],
    ["null", null],
    ["~", null],
    ["Null", null],
    ["nULL", "nULL"],
    ["12", 12],
    ["-12", -12],
    ["+3", 3],
    ["012", 12],
    ["0o17", 15],
    ["0x1F", 31],
    ["0b1", "0b1"],
    ["1_000", "1_000"],
    ["1.5", 1.5],
    ["1.", 1],
    [".5", 0.5],
    ["-.5e3", -500],
    ["1e3", 1000],
    [".inf", Number.POSITIVE_INFINITY],
    ["-.INF", Number.NEGATIVE_INFINITY],
    [".nan", Number.NaN],
    ["-0", -0],
    ["2024-01-01", "2024-01-01"],
    ["12:30", "12:30"],
    ["1.2.3", "1.2.3"],
    ["+", "+"],
    [".", "."],
    ["100000000000000000000000000000", 1e29],
  ])("%s", (text, value) => {
    expect(scanPlainYaml(`a: ${text}`)?.a).toEqual(value);
    expect(scanPlainYaml(`a: [${text}]`)?.a).toEqual([value]);
    expect(scanPlainYaml(`a: '${text}'`)?.a).toBe(text);
  });
});

describe("leaves the rest to the full parser", () => {
  test.each([
    ["a colon in a value", "a: b: c"],
    ["a colon at the end", "a: b:"],
    ["a key twice", "a: b\na: c"],
    ["a key without a space", "a:b"],
    ["a space before the colon", "a : b"],
    ["a scalar", "hello"],
    ["a list", "- a"],
    ["a flow map", "a: {b: c}"],
    ["a nested flow list", "a: [[b]]"],
    ["a flow list over lines", "a: [b,\n  c]"],
    ["an empty flow item", "a: [b,,c]"],
    ["a pair in a flow list", "a: [b: c]"],
    ["a comment in a flow list", "a: [b #c\n]"],
    ["text after a flow list", "a: [b] c"],
    ["text after quotes", "a: 'b' c"],
    ["quotes that stay open", "a: 'b"],
    ["an escape by number", String.raw`a: "\u0041"`],
    ["an unknown escape", String.raw`a: "\q"`],
    ["a plain scalar over lines", "a: b\n  c"],
    ["a value on the next line", "a:\n  b"],
    ["an anchor", "a: &x b"],
    ["an alias", "a: *x"],
    ["a tag", "a: !!str b"],
    ["a merge key", "<<: b"],
    ["reserved signs", "a: @b"],
    ["a directive", "%YAML 1.1"],
    ["the end of the document", "a: b\n..."],
    ["a key after the end of the document", "... a: b"],
    ["a tab", "a:\tb"],
    ["a NUL", "a: b\0"],
    ["a byte order mark inside", "a: b\n\ufeffc: d"],
    ["a lone carriage return", "a: b\rc: d"],
    ["an explicit indentation", "a: |2\n    b"],
    ["folded text with a deeper line", "a: >\n  b\n    c\n"],
    ["a block scalar without text", "a: |\nb: c"],
    ["a map in a list", "a:\n  - b: c"],
    ["a list in a list", "a:\n  - - b"],
    ["indentation from nowhere", "a: b\n  c: d"],
    ["indentation that falls between", "a:\n    b: c\n  d: e"],
    ["an indented document", " a: b"],
    ["five maps deep", "a:\n b:\n  c:\n   d:\n    e: f"],
  ])("%s", (_name, text) => {
    expect(scanPlainYaml(text)).toBeUndefined();
  });
});

test("`__proto__` is a key like any other, and values have no prototype", () => {
  const values = scanPlainYaml("__proto__:\n  polluted: true\nconstructor: x\nmap:\n  __proto__: y");
  expect(Object.keys(values ?? {})).toEqual(["__proto__", "constructor", "map"]);
  expect(Object.getPrototypeOf(values)).toBeNull();
  expect(Object.getPrototypeOf(values?.map)).toBeNull();
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("values cannot be changed", () => {
  const values = scanPlainYaml("a: [x]\nb:\n  - y\nc:\n  d: e");
  expect([values, values?.a, values?.b, values?.c].every(Object.isFrozen)).toBe(true);
});
