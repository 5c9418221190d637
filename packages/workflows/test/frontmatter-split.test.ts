import { describe, expect, test } from "bun:test";
import { splitFrontmatter } from "../src/entities/frontmatter/split.ts";

describe("finds the block", () => {
  test.each([
    ["plain", "---\nname: x\n---\nBody\n", "name: x\n", "Body\n"],
    ["byte order mark", "\ufeff---\nname: x\n---\nBody\n", "name: x\n", "Body\n"],
    ["CRLF", "---\r\nname: x\r\n---\r\nBody\r\n", "name: x\r\n", "Body\r\n"],
    ["mixed line endings", "---\r\nname: x\n---\nBody\r\n", "name: x\n", "Body\r\n"],
    ["spaces after the first dashes", "---  \nname: x\n---\nBody", "name: x\n", "Body"],
    ["a tab after the first dashes", "---\t\nname: x\n---\nBody", "name: x\n", "Body"],
    ["a no-break space after the first dashes", "---\u00a0\nname: x\n---\nBody", "name: x\n", "Body"],
    ["a vertical tab after the first dashes", "---\v\nname: x\n---\nBody", "name: x\n", "Body"],
    ["a line separator after the first dashes", "---\u2028\nname: x\n---\nBody", "name: x\n", "Body"],
    ["an em space after the first dashes", "---\u2003\nname: x\n---\nBody", "name: x\n", "Body"],
    ["a byte order mark after the first dashes", "---\ufeff\r\nname: x\n---\nBody", "name: x\n", "Body"],
    ["spaces after the last dashes", "---\nname: x\n--- \t\nBody", "name: x\n", "Body"],
    ["no newline after the last dashes", "---\nname: x\n---", "name: x\n", ""],
    ["a lone CR at the very end", "---\nname: x\n---\r", "name: x\n", ""],
    ["an empty block", "---\n---\nBody", "", "Body"],
    ["an empty block and no body", "---\n---", "", ""],
    ["blank lines inside", "---\n\nname: x\n\n---\n\nBody", "\nname: x\n\n", "\nBody"],
    ["a ruler in the body", "---\na: b\n---\nBody\n---\nmore", "a: b\n", "Body\n---\nmore"],
    ["a line that only starts with dashes", "---\na: |\n  x\n---b\n---\nBody", "a: |\n  x\n---b\n", "Body"],
  ])("%s", (_name, text, yaml, body) => {
    const split = splitFrontmatter(text);
    expect(split.kind).toBe("present");
    expect(split).toHaveProperty("yaml", yaml);
    expect(text.slice(split.bodyStart)).toBe(body);
  });

  test("the YAML is where yamlStart says it is", () => {
    const text = "\ufeff---\r\nname: x\r\n---\r\nBody";
    const split = splitFrontmatter(text);
    if (split.kind !== "present") throw new Error(split.kind);
    expect(text.slice(split.yamlStart, split.yamlStart + split.yaml.length)).toBe(split.yaml);
  });
});

describe("leaves a file without frontmatter alone", () => {
  test.each([
    ["an empty file", ""],
    ["only a byte order mark", "\ufeff"],
    ["text", "Just a body\n"],
    ["four dashes", "----\nname: x\n----\nBody"],
    ["a ruler further down", "Title\n---\nname: x\n---\n"],
    ["white space", "  \n\n"],
    ["dashes and words, but no second fence", "--- a note\nBody"],
    ["a blank line and a ruler, then prose with a key", "\n---\nNote: some text\n"],
    ["a note and a list", "--- a note\n- one\n- two\n"],
    ["a blank line and a ruler, but no key", "\n---\nSome text\n---\n"],
  ])("%s", (_name, text) => {
    const split = splitFrontmatter(text);
    expect(split).toMatchObject({ kind: "absent", diagnostics: [] });
    expect(text.slice(split.bodyStart)).toBe(text.replace("\ufeff", ""));
  });
});

describe("reports a block that tools read differently, once, and uses nothing from it", () => {
  test.each([
    ["no closing line", "---\ntools: Read\nBody\n", "frontmatter-unterminated", 1, 1],
    ["only the opening line", "---\n", "frontmatter-unterminated", 1, 1],
    ["dots instead of dashes", "---\ntools: Read\n...\nBody", "frontmatter-unterminated", 1, 1],
    ["an indented closing line", "---\ntools: Read\n  ---\nBody", "frontmatter-unterminated", 1, 1],
    ["a longer closing line", "---\ntools: Read\n-----\nBody", "frontmatter-unterminated", 1, 1],
    ["---js", "---js\nprocess.exit(1)\n---\nBody", "frontmatter-language", 1, 4],
    ["---json", '---json\n{"a":1}\n---\nBody', "frontmatter-language", 1, 4],
    ["--- yaml", "--- yaml\na: 1\n---\nBody", "frontmatter-language", 1, 4],
    ["a blank line first", "\n---\ntools: Read\n---\nBody", "frontmatter-misplaced", 1, 1],
    ["a space first", " ---\ntools: Read\n---\nBody", "frontmatter-misplaced", 1, 1],
    ["a zero-width space first", "\u200b---\ntools: Read\n---\nBody", "frontmatter-misplaced", 1, 1],
    ["a no-break space first", "\u00a0---\ntools: Read\n---\nBody", "frontmatter-misplaced", 1, 1],
    ["a blank line, then a comment", "\n---\n# c\ntools: Read\n---\nBody", "frontmatter-misplaced", 1, 1],
    ["a blank line, then another", "\n---\n\ntools: Read\n---\nBody", "frontmatter-misplaced", 1, 1],
    ["a blank line, then a quoted key", '\n---\n"tools": Read\n---\nBody', "frontmatter-misplaced", 1, 1],
    ["a blank line, then a flow map", "\n---\n{tools: Read}\n---\nBody", "frontmatter-misplaced", 1, 1],
    ["a blank line, closed by four dashes", "\n---\ntools: Read\n----\nBody", "frontmatter-misplaced", 1, 1],
    ["---yaml without an end", "---yaml\ntools: Read\nBody", "frontmatter-language", 1, 4],
    ["---yaml with a longer end", "---yaml\ntools: Read\n----\nBody", "frontmatter-language", 1, 4],
    ["---yaml and a lone CR", "---yaml\rtools: Read\n", "frontmatter-language", 1, 4],
    ["a zero-width space after the dashes", "---\u200b\ntools: Read\n", "frontmatter-language", 1, 4],
    ["old Mac line endings", "---\rtools: Read\r---\rBody", "frontmatter-line-endings", 1, 4],
  ])("%s", (_name, text, code, line, column) => {
    const split = splitFrontmatter(text);
    expect(split.kind).toBe("broken");
    expect(split.diagnostics).toHaveLength(1);
    expect(split.diagnostics[0]).toMatchObject({ severity: "error", code, line, column });
    expect(split.diagnostics[0]?.hint).toBeString();
    expect(split.bodyStart).toBe(0);
  });
});

test("two byte order marks are one too many", () => {
  const split = splitFrontmatter("\ufeff\ufeff---\ntools: Read\n---\nBody");
  expect(split).toMatchObject({ kind: "broken", diagnostics: [{ code: "frontmatter-misplaced" }] });
});

test("warns where Claude Code would end the block early", () => {
  const split = splitFrontmatter("---\nname: x\ndescription: a --- b\ntools: Read\n---\nBody");
  expect(split.kind).toBe("present");
  expect(split.diagnostics).toMatchObject([
    { severity: "warning", code: "frontmatter-inner-fence", line: 3, column: 16 },
  ]);
});

test("takes linear time for any text", () => {
  const long = 1_000_000;
  for (const text of [
    `---\n${"---x\n".repeat(long / 5)}`,
    " ".repeat(long),
    `\n---\n${"#\r\n".repeat(long / 3)}---`,
    `\n---\n"${" ".repeat(long)}\n---`,
    `${"\n".repeat(long)}---\n`,
    `---${" ".repeat(long)}x`,
    `---\n---${" ".repeat(long)}x`,
    `---${"\t".repeat(long)}\r`,
  ]) {
    expect(["absent", "broken"]).toContain(splitFrontmatter(text).kind);
  }
});
