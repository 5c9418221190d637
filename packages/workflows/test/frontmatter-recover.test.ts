// The tables are what Claude Code 2.1 and OpenCode 1.18 made of the same files. Copilot dropped every one of them.

import { describe, expect, test } from "bun:test";
import { parseFrontmatter } from "../src/entities/frontmatter/parse.ts";
import { type Recovery, recoverLikeClaude, recoverLikeOpenCode } from "../src/entities/frontmatter/recover.ts";

const DROPPED = undefined;

function read(yaml: string, recover: Recovery, newline = "\n"): Record<string, unknown> | undefined {
  const text = `---\n${yaml}\n---\nBody\n`.replaceAll("\n", newline);
  const { values, complete } = parseFrontmatter(text, { recover });
  return complete ? { ...values } : DROPPED;
}

describe("recovers what the tool itself recovers", () => {
  test.each<[string, unknown, unknown]>([
    ["description: Use when: foo", { description: "Use when: foo" }, { description: "Use when: foo" }],
    ["description:   a: b  ", { description: "a: b  " }, { description: "a: b" }],
    ["description: a: b # c", { description: "a: b # c" }, { description: "a: b # c" }],
    ["description: a: \"b\" 'c'", { description: "a: \"b\" 'c'" }, { description: "a: \"b\" 'c'" }],
    ["description: a:", DROPPED, { description: "a:" }],
    ["description: *foo bar", { description: "*foo bar" }, DROPPED],
    ["description: *foo", { description: "*foo" }, DROPPED],
    ["description: @foo", { description: "@foo" }, DROPPED],
    ["description: `foo` bar", { description: "`foo` bar" }, DROPPED],
    ["description: %foo", { description: "%foo" }, DROPPED],
    ["description: {foo} bar", { description: "{foo} bar" }, DROPPED],
    ["description: , x", { description: ", x" }, DROPPED],
    ["description: > a", { description: "> a" }, DROPPED],
    ["description: - a", DROPPED, DROPPED],
    ['description: "foo" bar', DROPPED, DROPPED],
    ["argument-hint: [message] [more]", { "argument-hint": "[message] [more]" }, DROPPED],
    ["argument-hint: [a: b] c: d", { "argument-hint": "[a: b] c: d" }, DROPPED],
    ["tools: Bash(git: *), Edit", { tools: "Bash(git: *), Edit" }, { tools: "Bash(git: *), Edit" }],
    ["allowed-tools: Bash(git: *)", { "allowed-tools": "Bash(git: *)" }, DROPPED],
    ["a: b: c\nd: e: f", { a: "b: c", d: "e: f" }, { a: "b: c", d: "e: f" }],
    ["a: b: c\nd: [e, f]", { a: "b: c", d: ["e", "f"] }, { a: "b: c", d: ["e", "f"] }],
    ["a: b: c\nd: e # f", { a: "b: c", d: "e # f" }, { a: "b: c", d: "e" }],
    ["a: b: c\nd: 5", { a: "b: c", d: 5 }, { a: "b: c", d: 5 }],
    ["a: b: c\nd: 'e' f: g", { a: "b: c", d: "'e' f: g" }, DROPPED],
    ["a: b: c\nd: {e}", { a: "b: c", d: "{e}" }, { a: "b: c", d: { e: null } }],
    ["a: b: c\nd: [e, [f]]", { a: "b: c", d: ["e", ["f"]] }, { a: "b: c", d: ["e", ["f"]] }],
    ["a: b: c\nd: [e] ", { a: "b: c", d: "[e] " }, { a: "b: c", d: ["e"] }],
    ["a2: b: c", DROPPED, { a2: "b: c" }],
    ["a : b: c", DROPPED, { a: "b: c" }],
    ["a: b: c\nm:\n  k: v: w", DROPPED, DROPPED],
    ["a: b: c\nbroken line", DROPPED, DROPPED],
  ])("%s", (yaml, claude, openCode) => {
    expect(read(yaml, recoverLikeClaude) as unknown).toEqual(claude);
    expect(read(yaml, recoverLikeOpenCode) as unknown).toEqual(openCode);
  });

  test("Claude Code gives up on CRLF, OpenCode does not", () => {
    expect(read("description: Use when: foo", recoverLikeClaude, "\r\n")).toBe(DROPPED);
    expect(read("description: Use when: foo", recoverLikeOpenCode, "\r\n")).toEqual({ description: "Use when: foo" });
  });
});

test("a recovered file has one warning at the mistake that names the keys", () => {
  const text = "---\nname: x\ndescription: Use when: foo\n---\n";
  const frontmatter = parseFrontmatter(text, { path: "a.md", recover: recoverLikeClaude });
  expect(frontmatter.recoveredKeys).toEqual(["description"]);
  expect(frontmatter.unreadableKeys).toEqual([]);
  expect(frontmatter.diagnostics).toMatchObject([
    { severity: "warning", code: "frontmatter-recovered", path: "a.md", line: 3, column: 14 },
  ]);
  expect(frontmatter.diagnostics[0]?.message).toContain('"description"');
  expect(frontmatter.positionOf(["description"])).toEqual({ line: 3, column: 1 });
});

test("the warning and the error are sentences about the file, not about the parser", () => {
  const texts = (yaml: string, recover?: Recovery): string[] =>
    parseFrontmatter(`---\n${yaml}\n---\n`, { recover }).diagnostics.map(({ message, hint }) => `${message} ${hint}`);
  expect(texts("description: a: b\ntools: c: d", recoverLikeClaude)).toEqual([
    'The frontmatter is not valid YAML: Nested mappings are not allowed in compact mappings. The values of "description", "tools" were read as plain text; other tools drop this file. Put the whole value in double quotes. In YAML, a colon followed by a space starts a new key.',
  ]);
  expect(texts("description: {{DESC}}")).toEqual([
    "The frontmatter is not valid YAML: A map or a list is in place of a key. Put the whole value in double quotes. Without quotes, a value that starts with `{` is a YAML map.",
  ]);
});

test("a recovered file still records how its scalars are written", () => {
  const text = "---\ndescription: Use when: foo\nversion: 1.10\nlist: [0x1F]\n---\n";
  const frontmatter = parseFrontmatter(text, { recover: recoverLikeClaude });
  expect(frontmatter.textOf(["version"])).toBe("1.10");
  expect(frontmatter.textOf(["description"])).toBe("Use when: foo");
  expect(frontmatter.positionOf(["list", 0])).toEqual({ line: 4, column: 8 });
});

test("without a recovery the same file has no values", () => {
  const frontmatter = parseFrontmatter("---\nname: x\ndescription: Use when: foo\n---\n");
  expect(frontmatter).toMatchObject({ complete: false, unreadableKeys: ["name", "description"], recoveredKeys: [] });
});

test("a value that YAML would read as a map is text after a recovery, so a restriction cannot disappear", () => {
  const values = read("description: a: b\npermission: {edit: deny}", recoverLikeOpenCode);
  expect(values).toEqual({ description: "a: b", permission: "{edit: deny}" });
});

test("valid YAML is never touched", () => {
  expect(read("a: 'b: c'\nd: {e: f}\ng: h # i", recoverLikeClaude)).toEqual({
    a: "b: c",
    d: { e: "f" },
    g: "h",
  } as never);
});

test("a repeated key stays unreadable after a recovery", () => {
  expect(read("a: b: c\ntools: Read\ntools: Bash", recoverLikeClaude)).toBe(DROPPED);
});
