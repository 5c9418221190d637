import { describe, expect, test } from "bun:test";
import { LARGEST_FRONTMATTER, parseFrontmatter } from "../src/entities/frontmatter/parse.ts";

const file = (yaml: string) => `---\n${yaml}\n---\nBody\n`;

test("reads the values and finds the body", () => {
  const text = '---\nname: review\ndescription: "Reads: a diff"\ntools: [Read, Grep]\n---\nBody\n';
  const frontmatter = parseFrontmatter(text, { path: "a.md" });
  expect({ ...frontmatter.values }).toEqual({ name: "review", description: "Reads: a diff", tools: ["Read", "Grep"] });
  expect(frontmatter).toMatchObject({ complete: true, unreadableKeys: [], recoveredKeys: [], diagnostics: [] });
  expect(text.slice(frontmatter.bodyStart)).toBe("Body\n");
});

test("a file without frontmatter is complete and has no values", () => {
  for (const text of ["", "Body", "\ufeffBody", "---\n---\nBody", "---\n# only a comment\n---\n", "---\n~\n---\n"]) {
    expect(parseFrontmatter(text)).toMatchObject({ complete: true, diagnostics: [] });
    expect(Object.keys(parseFrontmatter(text).values)).toEqual([]);
  }
});

describe("reads all of YAML 1.2", () => {
  test.each<[string, string, Record<string, unknown>]>([
    ["a flow map", "a: {b: c, d: [1, {e: f}]}", { a: { b: "c", d: [1, { e: "f" }] } }],
    ["maps in a list", "a:\n  - b: c\n    d: e\n  - f", { a: [{ b: "c", d: "e" }, "f"] }],
    ["a plain scalar over lines", "a: b\n  c\n\n  d", { a: "b c\nd" }],
    ["quotes over lines", 'a: "b\n  c"', { a: "b c" }],
    ["escapes by number", String.raw`a: "\u00e9\x41\U0001F600"`, { a: "éA😀" }],
    ["an explicit indentation", "a: |2\n    b\n", { a: "  b\n" }],
    ["an alias", "a: &x [1, 2]\nb: *x", { a: [1, 2], b: [1, 2] }],
    ["an anchor that is set again", "a: &x 1\nb: &x 2\nc: *x", { a: 1, b: 2, c: 2 }],
    ["a known tag", 'a: !!str 12\nb: !!int "7"', { a: "12", b: 7 }],
    ["an explicit key", "? a\n: b", { a: "b" }],
    ["a flow map at the top", "{a: b, c: 1}", { a: "b", c: 1 }],
    ["an indented document", "  a: b\n  c: d", { a: "b", c: "d" }],
    ["tabs as separators", "a:\tb", { a: "b" }],
    [
      "dates and yes and no, as strings",
      "{a: 2024-01-01, b: no, c: 0o17, d: 012}",
      { a: "2024-01-01", b: "no", c: 15, d: 12 },
    ],
    [
      "__proto__",
      "{__proto__: {polluted: 1}, a: {__proto__: 2}}",
      JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":2}}'),
    ],
  ])("%s", (_name, yaml, values) => {
    const frontmatter = parseFrontmatter(file(yaml));
    expect(frontmatter).toMatchObject({ complete: true, diagnostics: [] });
    expect(JSON.stringify(frontmatter.values)).toBe(JSON.stringify(values));
    expect(Object.isFrozen(frontmatter.values)).toBe(true);
  });
});

describe("reports what is wrong and where, and uses no value from it", () => {
  test.each<[string, string, string, number, number, string[]]>([
    ["a colon in a value", "name: x\ndescription: Use when: y", "frontmatter-syntax", 3, 14, ["name", "description"]],
    ["quotes that stay open", 'name: "x\ntools: Read', "frontmatter-syntax", 4, 1, ["name", "tools"]],
    ["a line without a key", "name: x\nbroken line\ntools: Read", "frontmatter-syntax", 3, 1, ["name", "tools"]],
    ["a tab as indentation", "a:\n\tb: c", "frontmatter-syntax", 3, 1, ["a"]],
    ["a reserved character", "a: @b", "frontmatter-syntax", 2, 4, ["a"]],
    ["a flow list that stays open", "a: [b\nc: d", "frontmatter-syntax", 3, 1, ["a", "c"]],
    ["a list", "- a\n- b", "frontmatter-not-a-map", 2, 1, []],
    ["a sentence", "hello there", "frontmatter-not-a-map", 2, 1, []],
    ["an alias of nothing", "a: b\nc: *x", "frontmatter-unknown-alias", 3, 4, ["a", "c"]],
    ["an alias of itself", "a: &x [*x]", "frontmatter-unknown-alias", 2, 8, ["a"]],
    ["a directive", "%YAML 1.1\na: yes", "frontmatter-syntax", 3, 1, ["a"]],
    ["two documents", "a: b\n...\nc: d", "frontmatter-syntax", 4, 1, ["a", "c"]],
    ["a map as a key", "{a: b}: c", "frontmatter-syntax", 2, 1, []],
  ])("%s", (_name, yaml, code, line, column, keys) => {
    const frontmatter = parseFrontmatter(file(yaml), { path: "dir/a.md" });
    expect(frontmatter.diagnostics).toHaveLength(1);
    expect(frontmatter.diagnostics[0]).toMatchObject({ severity: "error", code, path: "dir/a.md", line, column });
    expect(frontmatter.diagnostics[0]?.hint).toBeString();
    expect(frontmatter.complete).toBe(false);
    expect(Object.keys(frontmatter.values)).toEqual([]);
    expect(frontmatter.unreadableKeys).toEqual(keys);
  });
});

describe("an ambiguous key does not affect the others, and is never guessed", () => {
  test.each<[string, string, string, number, string, string[]]>([
    ["a key twice", "name: x\ntools: Read\ntools: Bash", "frontmatter-duplicate-key", 4, "tools", ["name"]],
    ["a key twice, quoted", 'tools: Read\n"tools": Bash\nname: x', "frontmatter-duplicate-key", 3, "tools", ["name"]],
    ["a key twice in a map", "p:\n  a: 1\n  a: 2\nname: x", "frontmatter-duplicate-key", 4, "p", ["name"]],
    ["a key twice in a flow map", "name: x\np: {a: 1, a: 2}", "frontmatter-duplicate-key", 3, "p", ["name"]],
    ["__proto__ twice", "__proto__: 1\n__proto__: 2\nname: x", "frontmatter-duplicate-key", 3, "__proto__", ["name"]],
    ["a merge key", "name: x\n<<: {tools: Read}", "frontmatter-merge-key", 3, "<<", ["name"]],
    ["a merge key in a map", "name: x\np:\n  <<: {tools: Read}", "frontmatter-merge-key", 4, "p", ["name"]],
  ])("%s", (_name, yaml, code, line, key, kept) => {
    const frontmatter = parseFrontmatter(file(yaml));
    expect(frontmatter.diagnostics).toMatchObject([{ severity: "error", code, line }]);
    expect(frontmatter).toMatchObject({ complete: false, unreadableKeys: [key] });
    expect(Object.keys(frontmatter.values)).toEqual(kept);
  });

  test("a thousand repeated keys are one diagnostic for each key", () => {
    const frontmatter = parseFrontmatter(file("a: 1\nb: 2\n".repeat(1_000)));
    expect(frontmatter.diagnostics.map(({ line }) => line)).toEqual([4, 5]);
    expect(frontmatter.unreadableKeys).toEqual(["a", "b"]);
  });
});

test("an unknown tag is a warning, and the value is kept as written", () => {
  const frontmatter = parseFrontmatter(file("a: b\nc: !env HOME"));
  expect({ ...frontmatter.values }).toEqual({ a: "b", c: "HOME" });
  expect(frontmatter.complete).toBe(true);
  expect(frontmatter.diagnostics).toMatchObject([
    { severity: "warning", code: "frontmatter-unknown-tag", line: 3, column: 4 },
  ]);
});

test("a broken block makes the frontmatter incomplete", () => {
  const frontmatter = parseFrontmatter("---\ntools: Read\nBody", { path: "a.md" });
  expect(frontmatter.complete).toBe(false);
  expect(frontmatter.diagnostics).toMatchObject([{ code: "frontmatter-unterminated", path: "a.md", line: 1 }]);
});

test("a mistake at the very start is in column 1, even if a blank line comes first", () => {
  const [diagnostic] = parseFrontmatter(file(`\n${"x".repeat(LARGEST_FRONTMATTER)}`)).diagnostics;
  expect(diagnostic).toMatchObject({ code: "frontmatter-too-large", line: 2, column: 1 });
});

test("frontmatter above the limit is refused, and just below it is read", () => {
  const key = "a: ";
  const fits = parseFrontmatter(file(key + "x".repeat(LARGEST_FRONTMATTER - key.length - 1)));
  expect(fits).toMatchObject({ complete: true, diagnostics: [] });
  const large = parseFrontmatter(file(key + "x".repeat(LARGEST_FRONTMATTER - key.length)));
  expect(large.diagnostics).toMatchObject([{ code: "frontmatter-too-large", line: 2, column: 1 }]);
  expect(large).toMatchObject({ complete: false, unreadableKeys: ["a"] });
});

describe("finds a key's position in the file", () => {
  const text =
    "\ufeff---\r\n# c\r\nname: x\r\n'q k': 1\r\ntools:\r\n  - Read\r\n  - Grep\r\np:\r\n  bash: {\"*\": ask}\r\n---\r\n";
  const frontmatter = parseFrontmatter(text);
  test.each<[(string | number)[], number, number]>([
    [["name"], 3, 1],
    [["q k"], 4, 1],
    [["tools"], 5, 1],
    [["tools", 1], 7, 5],
    [["p", "bash"], 9, 3],
    [["p", "bash", "*"], 9, 10],
  ])("%p", (path, line, column) => {
    expect(frontmatter.positionOf(path)).toEqual({ line, column });
  });

  test.each<[(string | number)[]]>([[[]], [["nope"]], [["tools", 9]], [["name", "x"]], [["p", "bash", "*", 0]]])(
    "%p is nowhere",
    (path) => expect(frontmatter.positionOf(path)).toBeUndefined(),
  );

  test("even if the value cannot be read", () => {
    expect(parseFrontmatter(file("name: x\ntools: [a")).positionOf(["tools"])).toEqual({ line: 3, column: 1 });
    expect(parseFrontmatter(file("name: x\nname: y")).positionOf(["name"])).toEqual({ line: 2, column: 1 });
  });

  test("in an indented document", () => {
    expect(parseFrontmatter(file("  a: b\n  c: d")).positionOf(["c"])).toEqual({ line: 3, column: 3 });
    const nested = parseFrontmatter(file("a:\n  b:\n    c: 1\n  # c: 2\n  c: 3\nd:\n  e: 4\nf: { c: 5 }\ng:\n  - h"));
    const paths = [
      ["a", "c"],
      ["a", "b", "c"],
      ["d", "e"],
      ["d", "c"],
      ["f", "c"],
      ["g", 0],
      ["g", "c"],
    ];
    const places = paths.map((path) => nested.positionOf(path)).map((at) => (at ? `${at.line}:${at.column}` : "none"));
    expect(places).toEqual(["6:3", "4:5", "8:3", "none", "9:6", "11:5", "none"]);
  });
});

test("returns a scalar, or a list or map in brackets, as written", () => {
  const frontmatter = parseFrontmatter(file("version: 1.10\nname: 012\nlist: [0x1F, 'q']\nmap: {a: b}"));
  expect(frontmatter.values.version).toBe(1.1);
  expect(frontmatter.textOf(["version"])).toBe("1.10");
  expect(frontmatter.textOf(["name"])).toBe("012");
  expect(frontmatter.textOf(["list", 0])).toBe("0x1F");
  expect(frontmatter.textOf(["list", 1])).toBe("q");
  expect(frontmatter.textOf(["map"])).toBe("{a: b}");
  expect(frontmatter.textOf(["list"])).toBe("[0x1F, 'q']");
  expect(frontmatter.textOf(["nope"])).toBeUndefined();
});
