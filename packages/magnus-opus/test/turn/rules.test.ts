import { expect, test } from "bun:test";
import { matchesGlob, readRule, ruleApplies } from "../../src/turn/rules.ts";

test.each<[string, string, readonly string[] | undefined]>([
  ["no frontmatter", "Be short.", undefined],
  ["alwaysApply", "---\nalwaysApply: true\nglobs: *.ts\n---\nBe short.", undefined],
  ["Copilot, for everything", '---\napplyTo: "**"\n---\nBe short.', undefined],
  ["Copilot", '---\napplyTo: "**/*.ts,**/*.tsx"\n---\nBe short.', ["**/*.ts", "**/*.tsx"]],
  [
    "Cursor, which is not YAML",
    "---\ndescription: x\nglobs: *.py, src/**\nalwaysApply: false\n---\nBe short.",
    ["*.py", "src/**"],
  ],
  ["a list", '---\npaths:\n  - "src/**/*.{ts,tsx}"\n  - lib/*\n---\nBe short.', ["src/**/*.{ts,tsx}", "lib/*"]],
  ["a list in one line", "---\nglobs: ['a', \"b/{c,d}\"]\r\n---\r\nBe short.", ["a", "b/{c,d}"]],
])("a rule with %s", (_, file, globs) => {
  expect(readRule("r.md", file)).toEqual({ path: "r.md", text: "Be short.", globs });
});

test.each(["", "---\nglobs: a\n---\n", "---\ndescription: about tests\n---\nx", "---\nalwaysApply: false\n---\nx"])(
  "%j is not given to anyone",
  (file) => expect(readRule("r.md", file)).toBeUndefined(),
);

test("a very long one is cut", () => {
  expect(readRule("r.md", "x".repeat(50_000))?.text).toHaveLength(20_000);
});

test.each([
  ["*.ts", "src/deep/a.ts", true],
  ["src/*.ts", "src/deep/a.ts", false],
  ["src/**/*.{ts,svelte}", "src/deep/a.svelte", true],
  ["src/**/*.{ts,svelte}", "src/a.css", false],
  ["./src/**", "src/a.css", true],
  ["{a,b}/{c,d}.md", "b/d.md", true],
  ["a+(b).ts", "aab.ts", false],
])("%s and %s: %p", (glob, path, is) => {
  expect(matchesGlob(glob, path)).toBe(is);
  expect(ruleApplies({ path: "r.md", text: "x", globs: [glob] }, path)).toBe(is);
});
