import { describe, expect, test } from "bun:test";
import { cachedPlugin } from "../../src/commands/verify.ts";
import { versionLabel } from "../../src/packages/labels.ts";
import { compareTrees } from "../../src/packages/tree.ts";
import { tree } from "../tree.ts";

describe("two trees", () => {
  test("differ in files that are changed, missing or added, in order", () => {
    const expected = tree({ "a.md": "a", "b.md": "b", "c.md": "c" });
    expect(compareTrees(expected, tree({ "a.md": "A", "c.md": "c", "d.md": "d" }))).toEqual([
      { path: "a.md", how: "changed" },
      { path: "b.md", how: "missing" },
      { path: "d.md", how: "added" },
    ]);
  });

  test("do not differ in what is executable", () => {
    const script = Buffer.from("#!/bin/sh\n");
    const [yes, no] = [true, false].map((executable) => new Map([["run.sh", { bytes: script, executable }]]));
    expect(compareTrees(yes!, no!)).toEqual([]);
  });
});

describe("OpenCode's copy of a plugin", () => {
  test.each([
    [{}, "/home/me/.cache/opencode/packages/@org/a@1.0.0/node_modules/@org/a"],
    [{ XDG_CACHE_HOME: "/cache" }, "/cache/opencode/packages/@org/a@1.0.0/node_modules/@org/a"],
  ])("with %j is in %s", (env, expected) => {
    expect(cachedPlugin({ home: "/home/me", env }, "@org/a@1.0.0", "@org/a")).toBe(expected);
  });

  test("is never looked up outside the cache", () => {
    expect(() => cachedPlugin({ home: "/home/me", env: {} }, "../../x", "x")).toThrow();
  });
});

test.each([
  ["1.2.0", "v1.2.0"],
  ["0123456789abcdef0123456789abcdef01234567", "0123456789"],
  ["unknown", "unknown"],
])("the version %s is shown as %s", (version, label) => {
  expect(versionLabel(version)).toBe(label);
});
