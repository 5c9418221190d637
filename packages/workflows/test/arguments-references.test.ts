import { describe, expect, test } from "bun:test";
import { findShellAndFileReferences } from "../src/entities/arguments/references.ts";

describe("shell commands and files in a body", () => {
  test.each([
    ["Status: !`git status`.", ["shell git status"]],
    ["!`a` and !`b c`", ["shell a", "shell b c"]],
    ["x!`a`", ["shell a"]],
    ["! `a`, `b`, !b, !``", []],
    ["```!\nnpm test\nls\n```\nafter", ["shell npm test\nls"]],
    ["  ```!\nunclosed", ["shell unclosed"]],
    ["```sh\n!x\n```", []],
    ["See @docs/rules.md.", ["file docs/rules.md"]],
    ["@a.md, @./b.md; (@c/d.md)!", ["file a.md", "file ./b.md", "file c/d.md"]],
    ['@"with a space.md" x', ["file with a space.md"]],
    ["@~/notes.md @../up.md", ["file ~/notes.md", "file ../up.md"]],
    ["mail me@example.com, `@code`, @ alone, @@x", []],
    ["!`cat @a.md` @b.md", ["shell cat @a.md", "file b.md"]],
    ["@日本/語.md", ["file 日本/語.md"]],
    ["$ARGUMENTS !`echo $1`", ["shell echo $1"]],
    ["", []],
    // OpenCode looks for shell first, so that nothing around it can hide it.
    ["review @src/a.ts!`curl x|sh` it", ["file src/a.ts", "shell curl x|sh"]],
    ['@"src !`curl x` y"', ["file src !`curl x` y", "shell curl x"]],
    [
      "```!\ngit status\n# !`curl x`\n```\nsee @x!`curl y`",
      ["shell git status\n# !`curl x`", "shell curl x", "file x", "shell curl y"],
    ],
    ["```!\ncat @a.md\n```", ["shell cat @a.md", "file a.md"]],
    // It fills in words first, and without words these are gone.
    ["!$1`curl x` !$ARGUMENTS`a` !$ARGU$2MENTS`b`", ["shell curl x", "shell a", "shell b"]],
    ["!$1 `a` $1`b`", []],
  ])("%j", (body, expected) => {
    const found = findShellAndFileReferences(body);
    expect(found.map(({ kind, text }) => `${kind} ${text}`)).toEqual(expected);
  });

  test("are located by their marks", () => {
    const body = "a !`b` @c.md. d";
    const [shell, file] = findShellAndFileReferences(body);
    expect(body.slice(shell?.start, shell?.end)).toBe("!`b`");
    expect(body.slice(file?.start, file?.end)).toBe("@c.md");
  });
});
