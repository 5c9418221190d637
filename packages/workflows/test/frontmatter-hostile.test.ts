// Frontmatter written to break the reader. Each is one diagnostic, and nothing else.

import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { parseFrontmatter } from "../src/entities/frontmatter/parse.ts";
import { readYaml } from "../src/entities/frontmatter/read-yaml.ts";
import { recoverLikeClaude, recoverLikeOpenCode } from "../src/entities/frontmatter/recover.ts";

const FACTOR = Number(process.env.FUZZ_FACTOR ?? 1);
const CASES = 100_000 * FACTOR;

setDefaultTimeout(600_000);

const untouched = Object.getOwnPropertyNames(Object.prototype).sort();
afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(untouched);
});

const file = (yaml: string) => `---\n${yaml}\n---\nBody\n`;

function bomb(): string {
  const names = [..."abcdefghi"];
  const levels = names.slice(1).map((name, at) => `${name}: &${name} [${`*${names[at]},`.repeat(9)}]`);
  return ["a: &a [x,x,x,x,x,x,x,x,x]", ...levels].join("\n");
}

describe("one diagnostic each", () => {
  test.each<[string, string, string]>([
    ["an alias bomb", bomb(), "frontmatter-too-many-aliases"],
    ["one alias, many times", `a: &a x\nb: [${"*a,".repeat(5_000)}]`, "frontmatter-too-many-aliases"],
    ["flow lists", `a: ${"[".repeat(8_000)}${"]".repeat(8_000)}`, "frontmatter-too-deep"],
    ["10,000 flow lists left open", `a: ${"[".repeat(10_000)}`, "frontmatter-too-deep"],
    ["flow maps", "{a: ".repeat(4_000), "frontmatter-too-deep"],
    ["flow lists over lines", "[\n".repeat(8_000), "frontmatter-too-deep"],
    ["lists on one line", "- ".repeat(8_000), "frontmatter-too-deep"],
    ["lists with tabs", "-\t".repeat(8_000), "frontmatter-too-deep"],
    ["explicit keys", "? ".repeat(8_000), "frontmatter-too-deep"],
    ["empty keys", ": ".repeat(8_000), "frontmatter-too-deep"],
    ["keys on one line", "a: ".repeat(5_000), "frontmatter-too-deep"],
    ["maps by indentation", steps(150, "a:"), "frontmatter-too-deep"],
    ["lists by indentation", steps(150, "-"), "frontmatter-too-deep"],
    ["10,000 flow lists and their ends", "[".repeat(10_000) + "]".repeat(10_000), "frontmatter-too-large"],
    ["10,000 deep by indentation", steps(10_000, "a:"), "frontmatter-too-large"],
    ["10 MB", "a: b\n".repeat(2_000_000), "frontmatter-too-large"],
    ["10,000 mistakes", "]".repeat(10_000), "frontmatter-syntax"],
    [
      "spaces, text and a stray return",
      `a: b: c\nd:${" ".repeat(7_000)}${"e".repeat(7_000)}\rf\nx`,
      "frontmatter-syntax",
    ],
    ["quotes without end", `a: "${"\\".repeat(15_001)}`, "frontmatter-syntax"],
  ])("%s", (_name, yaml, code) => {
    const frontmatter = parseFrontmatter(file(yaml), { recover: recoverLikeClaude });
    expect(frontmatter.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
    expect(frontmatter.complete).toBe(false);
    expect(Object.keys(frontmatter.values)).toEqual([]);
  });

  test("positions inside are not looked up again", () => {
    const frontmatter = parseFrontmatter(file(`a: ${"[".repeat(10_000)}`));
    expect(frontmatter.positionOf(["a", 0])).toBeUndefined();
    expect(frontmatter.textOf(["a"])).toBeUndefined();
  });
});

test("the depth is checked before parsing, at any size", () => {
  const wide = ["[", "{a: ", "- ", "? ", "a: "].map((mark) => mark.repeat(1_000_000));
  for (const yaml of [...wide, steps(3_000, "-"), steps(3_000, "a:")]) {
    expect(readYaml(yaml)).toMatchObject({ kind: "refused", problem: { code: "frontmatter-too-deep" } });
  }
});

test("nothing in a fence with a language runs", () => {
  const marker = "frontmatterRan";
  for (const language of ["js", "javascript", " js", "json", "coffee", "toml"]) {
    const text = `---${language}\nglobalThis.${marker} = true\n---\nBody`;
    expect(parseFrontmatter(text).diagnostics.map(({ code }) => code)).toEqual(["frontmatter-language"]);
  }
  expect(Reflect.get(globalThis, marker)).toBeUndefined();
});

test("a reasonable number of aliases is fine", () => {
  const frontmatter = parseFrontmatter(file(`a: &a [1, 2, 3]\nb: [${"*a,".repeat(40)}]`));
  expect(frontmatter.diagnostics).toEqual([]);
  expect(frontmatter.values.b).toHaveLength(40);
});

test("a reasonable number of colons and brackets is fine", () => {
  const dialogue = 'user: \\"hi\\" assistant: [x] {y} '.repeat(100);
  const frontmatter = parseFrontmatter(file(`description: "${dialogue}"\nflow: {a: b}`));
  expect(frontmatter.diagnostics).toEqual([]);
  expect(frontmatter.values.description).toBe(dialogue.replaceAll('\\"', '"'));
});

describe(`${CASES.toLocaleString("en")} files of any content`, () => {
  test("bytes", () => survive(fc.uint8Array({ maxLength: 120 }).map(fromBytes), CASES * 0.2));
  test("bytes between fences", () => survive(fc.uint8Array({ maxLength: 80 }).map(fromBytes).map(file), CASES * 0.2));
  test("any text between fences", () => {
    survive(fc.string({ unit: "binary", maxLength: 60 }).map(file), CASES * 0.2);
  });
  test("pieces of YAML between fences", () => survive(yamlPieces().map(file), CASES * 0.3));
  test("pieces of YAML and of fences", () => survive(fencePieces(), CASES * 0.1));
});

/** Reads every text with every recovery; whatever is in it, the answer keeps its promises. */
function survive(texts: fc.Arbitrary<string>, numRuns: number): void {
  const recoveries = [undefined, recoverLikeClaude, recoverLikeOpenCode];
  let turn = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const recover = recoveries[turn++ % recoveries.length];
      const frontmatter = parseFrontmatter(text, recover && { recover });
      const { values, complete, diagnostics, bodyStart } = frontmatter;
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      const lines = text.split("\n").length;
      return (
        complete === (errors.length === 0) &&
        Object.getPrototypeOf(values) === null &&
        Object.keys(Object.prototype).length === 0 &&
        bodyStart >= 0 &&
        bodyStart <= text.length &&
        diagnostics.every(({ line = 0, column = 0 }) => line >= 1 && line <= lines && column >= 1)
      );
    }),
    { numRuns },
  );
}

function fromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

const PIECES = [
  "a",
  "b: ",
  "\n",
  "\n  ",
  "\n- ",
  "- ",
  "? ",
  ": ",
  "[",
  "]",
  "{",
  "}",
  ",",
  "|",
  ">",
  "|+\n",
  "&a ",
  "*a",
  "!t ",
] as const;
const MORE_PIECES = [
  "'",
  '"',
  "\\",
  "#",
  " #",
  "\t",
  "\r",
  "\r\n",
  "%",
  "@",
  "`",
  "<<: ",
  "__proto__: ",
  "constructor: ",
  "~",
] as const;
const FENCES = [
  "---",
  "---\n",
  "\n---\n",
  "--- ",
  "---js\n",
  "...\n",
  "\ufeff",
  "\0",
  "é",
  "😀",
  "\ud800",
  "x".repeat(50),
] as const;

function yamlPieces(): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...PIECES, ...MORE_PIECES), { maxLength: 16 }).map((pieces) => pieces.join(""));
}

function fencePieces(): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...FENCES, ...PIECES), { maxLength: 16 }).map((pieces) => pieces.join(""));
}

/** Lines that are each indented one space more. */
function steps(count: number, text: string): string {
  return Array.from({ length: count }, (_, at) => " ".repeat(at) + text).join("\n");
}
