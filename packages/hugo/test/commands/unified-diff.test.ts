import { describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { type DiffHunk, unifiedDiff } from "../../src/commands/diff.ts";

describe("a unified diff", () => {
  test("shows changed lines with three lines around them", () => {
    const before = lines("a", "b", "c", "d", "e", "f", "g", "h", "i");
    expect(printed(unifiedDiff(before, before.replace("e", "E")))).toBe(
      "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n",
    );
  });

  test("shows two changes near to each other as one, and two far apart as two", () => {
    const before = lines(..."abcdefghijklmnop");
    expect(unifiedDiff(before, before.replace("d", "D").replace("h", "H"))).toHaveLength(1);
    expect(unifiedDiff(before, before.replace("d", "D").replace("m", "M"))).toHaveLength(2);
  });

  test.each([
    ["", "a\n", "@@ -0,0 +1,1 @@\n+a\n"],
    ["a\n", "", "@@ -1,1 +0,0 @@\n-a\n"],
    ["a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"],
    ["a\n", "a\r\n", "@@ -1,1 +1,1 @@\n-a\n+a\r\n"],
    ["a\n", "a\n", ""],
    ["", "", ""],
  ])("of %j and %j is %j", (before, after, expected) => {
    expect(printed(unifiedDiff(before, after))).toBe(expected);
  });

  test("is understood by patch, whatever the two texts are", async () => {
    await using folder = await temporaryFolder();
    const text = fc
      .tuple(fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 }), fc.boolean())
      .map(([words, isEnded]) => words.join("\n") + (isEnded && words.length > 0 ? "\n" : ""));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const [file, patch] = [join(folder.path, "text"), join(folder.path, "patch")];
        await writeFile(file, before);
        await writeFile(patch, `--- text\n+++ text\n${printed(unifiedDiff(before, after))}`);
        if (before !== after) {
          const { exitCode, stdout } = Bun.spawnSync(["patch", "--no-backup-if-mismatch", file, patch]);
          expect({ exitCode, stdout: exitCode === 0 ? "" : stdout.toString() }).toEqual({ exitCode: 0, stdout: "" });
        }
        // patch removes a file that becomes empty.
        expect(after === "" ? after : await readFile(file, "utf8")).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});

function lines(...words: string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

function printed(hunks: readonly DiffHunk[]): string {
  return hunks
    .map(({ before, after, lines }) => {
      const body = lines.map(
        ({ mark, text, isUnended }) => `${mark}${text}\n${isUnended ? "\\ No newline at end of file\n" : ""}`,
      );
      return `@@ -${before.start},${before.length} +${after.start},${after.length} @@\n${body.join("")}`;
    })
    .join("");
}
