// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a shell, not of a template.
import { describe, expect, test } from "bun:test";
import {
  expandArguments,
  findWantedArguments,
  hasNamedArguments,
  readArgumentNames,
} from "../src/entities/arguments.ts";
import type { Provider } from "../src/entities/entity.ts";
import {
  type ArgumentCase,
  claudeCases,
  claudeDifferences,
  copilotCases,
  opencodeCases,
  opencodeDifferences,
} from "./arguments-cases.ts";

const tables: readonly (readonly [Provider, readonly ArgumentCase[]])[] = [
  ["claude", claudeCases],
  ["opencode", opencodeCases],
  ["hugo", opencodeCases],
  ["copilot", copilotCases],
  ["agent-skills", copilotCases],
];

for (const [provider, cases] of tables) {
  describe(`arguments as ${provider} expands them`, () => {
    test.each(cases.map((row) => [row.body, row.input, row] as const))("%j with %j", (_, __, row) => {
      const names = row.names ? { names: row.names } : {};
      expect(expandArguments(row.body, row.input, { provider, ...names })).toBe(row.expected);
    });
  });
}

describe("input that OpenCode itself would change", () => {
  test.each(opencodeDifferences.map((row) => [row.input, row] as const))("%j stays as typed", (_, row) => {
    expect(expandArguments(row.body, row.input, { provider: "opencode" })).toBe(row.expected);
    expect(row.expected).not.toBe(row.inOpenCode);
  });
});

describe("input that only a full shell would understand", () => {
  test.each(claudeDifferences.map((row) => [row.body, row.input, row] as const))("%j with %j", (_, __, row) => {
    expect(expandArguments(row.body, row.input, { provider: "claude" })).toBe(row.expected);
    expect(row.expected).not.toBe(row.inClaude);
  });
});

describe("arguments in Atomic's own files", () => {
  const words = "[$0|$1|$2]";

  test.each([
    ["placeholders are Claude's", "$0 $ARGUMENTS[1] $ARGUMENTS $9 \\$0", "a b", "a b a b $9 $0"],
    ["nothing used, so all of it is appended", "plain", "a b", "plain\n\nARGUMENTS: a b"],
    ["quotes group", words, "\"a b\" 'c d' e", "[a b|c d|e]"],
    ["quotes group behind = and :", words, "--m=\"a b\" k:'c d' e", "[--m=a b|k:c d|e]"],
    ["an apostrophe is a letter", words, "don't won't it's", "[don't|won't|it's]"],
    ["a quote without a partner is a letter", words, '5" disk "x', '[5"|disk|"x]'],
    ["a quote in a word is a letter", words, 'a"b c"d', '[a"b|c"d|$2]'],
    ["an empty argument", words, '"" b', "[|b|$2]"],
    ["text right after a quote belongs to it", words, '"a b"c d', "[a bc|d|$2]"],
    ["no shell syntax", words, "a;b #c >d", "[a;b|#c|>d]"],
    ["no variables", words, "x=1 $HOME `id`", "[x=1|$HOME|`id`]"],
    ["no escapes", words, "C:\\a \\\\b c\\", "[C:\\a|\\\\b|c\\]"],
    ["line breaks separate", words, "a\nb\r\nc", "[a|b|c]"],
    ["commands in the input are only text", "$ARGUMENTS", "!`id` @file", "!`id` @file"],
  ])("%s", (_, body, input, expected) => {
    expect(expandArguments(body, input, { provider: "atomic" })).toBe(expected);
  });

  test("named arguments take the words in order", () => {
    const options = { provider: "atomic", names: ["from", "to"] } as const;
    expect(expandArguments("$from to $to", '"a b" c', options)).toBe("a b to c");
    expect(expandArguments("$from to [$to]", "a", options)).toBe("a to []");
  });
});

describe("the arguments that a body uses", () => {
  test.each([
    ["claude", "$1 and $0 and $0", { positions: [0, 1], names: [], all: false }],
    ["claude", "$ARGUMENTS[2] $ARGUMENTS", { positions: [2], names: [], all: true }],
    ["claude", "\\$0 $0x ${1} plain", { positions: [], names: [], all: false }],
    ["claude", "$to $from $to", { positions: [], names: ["to", "from"], all: false }],
    ["opencode", "$2 $1 $ARGUMENTS", { positions: [0, 1], names: [], all: true }],
    ["opencode", "$0 $10", { positions: [9], names: [], all: false }],
    ["opencode", "$from", { positions: [], names: [], all: false }],
    ["copilot", "$0x \\$1 $ARGUMENTS", { positions: [0], names: [], all: true }],
    ["atomic", "$0 $from", { positions: [0], names: ["from"], all: false }],
  ] as const)("in a file of %s: %s", (provider, body, expected) => {
    const { positions, names, all } = expected;
    const wanted = findWantedArguments(body, { provider, names: ["from", "to"] });
    expect(wanted).toEqual({ positions: [...positions], names: [...names], all });
  });
});

describe("the names of arguments", () => {
  test.each([
    [
      ["from", "to"],
      ["from", "to"],
    ],
    ["from to", ["from", "to"]],
    [" from \t to\n", ["from", "to"]],
    ["from, to", ["from,", "to"]],
    [
      ["from", 1, null, "", true, { name: "x" }, ["y"], "to"],
      ["from", "to"],
    ],
    [
      ["0", "12", "1a", "1.5"],
      ["1a", "1.5"],
    ],
    ["1 to", ["to"]],
    [["a b"], ["a b"]],
    [undefined, []],
    [null, []],
    [5, []],
    [{ from: "x" }, []],
  ])("%j gives %j", (value, expected) => {
    expect(readArgumentNames(value)).toEqual(expected);
  });

  test("only have a meaning in Claude and Atomic", () => {
    const providers: readonly Provider[] = ["claude", "opencode", "copilot", "atomic", "agent-skills", "hugo"];
    expect(providers.filter(hasNamedArguments)).toEqual(["claude", "atomic"]);
  });

  test("may contain any character without becoming a pattern", () => {
    const names = ["x*", "a.b", "(c)", "d|e", "[f]", "g\\h", "^i$", "$j", "k-l", "é", "__proto__", "constructor"];
    const body = names.map((name) => `$${name};`).join("");
    const input = names.map((_, i) => `v${i}`).join(" ");
    const expected = names.map((_, i) => `v${i};`).join("");
    expect(expandArguments(body, input, { provider: "claude", names })).toBe(expected);
  });

  test("the first of two equal names wins", () => {
    expect(expandArguments("$a", "1 2", { provider: "claude", names: ["a", "a"] })).toBe("1");
  });
});
