// Translations of two versions differ where the versions do, so that local edits survive an update.
import { expect, test } from "bun:test";
import { mergeTexts } from "../../../src/delivery/merge/merge-texts.ts";
import { deliverPlugin, textAt } from "./deliver.ts";

const version = (tools: string, last: string): string =>
  [
    "---",
    "name: a",
    "description: Reviews code",
    `tools: ${tools}`,
    "color: red",
    "---",
    "",
    "You review code.",
    "",
    "Be kind.",
    "",
    last,
    "",
  ].join("\n");

const translated = (text: string): string => textAt(deliverPlugin({ "agents/a.md": text }), "agents/a.md");

test("an edit of the body meets another list of tools", () => {
  const base = translated(version("Read, Grep", "Be brief."));
  const next = translated(version("Read, Grep, Bash(git:*)", "Be brief."));
  const merge = mergeTexts(base, base.replace("Be kind.", "Be strict."), next);
  expect(merge).toEqual({ kind: "clean", text: next.replace("Be kind.", "Be strict.") });
});

test("a permission of the user's own meets another body", () => {
  const base = translated(version("Read, Grep", "Be brief."));
  const next = translated(version("Read, Grep", "Be thorough."));
  const ours = base.replace("  grep: allow\n", "  grep: allow\n  webfetch: ask\n");
  expect(mergeTexts(base, ours, next)).toEqual({
    kind: "clean",
    text: next.replace("  grep: allow\n", "  grep: allow\n  webfetch: ask\n"),
  });
});

test("a tool that comes at the end of the list changes no line of the others", () => {
  const before = translated(version("Read, Bash(git:*)", "x")).split("\n");
  const after = translated(version("Read, Bash(git:*), WebFetch", "x")).split("\n");
  expect(after.filter((line) => !before.includes(line))).toEqual(["  webfetch: allow"]);
  expect(after).toHaveLength(before.length + 1);
});
