import { describe, expect, test } from "bun:test";
import {
  namePattern,
  noPattern,
  pathPattern,
  shellPattern,
} from "../../../src/delivery/translate/permission-of-tools.ts";

describe("the pattern in the parentheses of Bash", () => {
  test.each([
    ["git:*", ["git *"]],
    ["git status", ["git status"]],
    ["npm run test:*", ["npm run test *"]],
    ["git * main", ["git * main"]],
    ["ls*", ["ls*"]],
    ["a:b:*", ["a:b *"]],
    ["*", "all"],
    [":*", "all"],
    // Any character in OpenCode, a question mark in Claude Code.
    ["ls ?", undefined],
    ["a\\*", undefined],
    // OpenCode puts the user's home in place of these.
    ["~/bin/x:*", undefined],
    ["$HOME/x", undefined],
    ["a\nb", undefined],
  ])("%p becomes %p", (pattern, wanted) => {
    expect(shellPattern(pattern)).toEqual(wanted as ReturnType<typeof shellPattern>);
  });
});

describe("a path in parentheses", () => {
  test.each([
    ["src/**", ["src/*"]],
    ["./src/lib/**", ["src/lib/*"]],
    ["/docs/**", ["docs/*"]],
    ["docs/guide.md", ["docs/guide.md"]],
    ["*.md", ["*.md"]],
    ["**/*.test.ts", ["*.test.ts"]],
    ["src/**/*.ts", ["src/*.ts"]],
    [".github/**", [".github/*"]],
    ["**", "all"],
    ["**/*", "all"],
    // In OpenCode a star goes on behind a slash.
    ["src/*.ts", undefined],
    ["src/*", undefined],
    ["./*.md", undefined],
    ["a*/b", undefined],
    ["src/[ab].ts", undefined],
    ["!src/**", undefined],
    ["../other/**", undefined],
    ["src/../../x", undefined],
    ["//etc/passwd", undefined],
    ["~/.ssh/**", undefined],
    ["", undefined],
  ])("%p becomes %p", (pattern, wanted) => {
    expect(pathPattern(pattern)).toEqual(wanted as ReturnType<typeof pathPattern>);
  });
});

test.each([
  ["worker", ["worker"]],
  ["worker, general-purpose,Explore", ["worker", "general", "explore"]],
  ["*", "all"],
  ["work*", undefined],
  ["a b", undefined],
  ["a,", undefined],
])("the names %p become %p", (pattern, wanted) => {
  expect(namePattern(pattern)).toEqual(wanted as ReturnType<typeof namePattern>);
});

test("a tool without patterns in OpenCode has none that can be translated", () => {
  expect([noPattern("*"), noPattern("domain:a.org")]).toEqual(["all", undefined]);
});
