import { expect, test } from "bun:test";
import { foldFiles, labelOf } from "../../src/commands/shared/fold-files.ts";

const many = (folder: string, amount: number, did = "") =>
  Array.from({ length: amount }, (_, index) => ({ path: `${folder}/${index}.md`, did }));
const shown = (files: ReturnType<typeof many>) => foldFiles(files, ({ did }) => did).map(labelOf);

test("a few files are all listed, in their order", () => {
  const few = [...many("skills/b", 10), ...many("skills/a", 10)];
  expect(shown(few)).toEqual(few.map(({ path }) => path));
});

test.each([
  [[...many("skills/b/c", 15), ...many("skills/a", 6)], ["skills/b/c/ (15 files)", "skills/a/0.md"], 7],
  [[...many("skills/b", 30), ...many("skills/a", 1)], ["skills/b/ (30 files)", "skills/a/0.md"], 2],
  [many("skills", 40), ["skills/ (40 files)"], 1],
  [Array.from({ length: 30 }, (_, index) => ({ path: `${index}.md`, did: "" })), ["0.md"], 30],
])("folders stand for many files, as deep as possible (%#)", (files, start, lines) => {
  const folded = shown(files);
  expect(folded.slice(0, start.length)).toEqual(start);
  expect(folded.length).toBe(lines);
});

test("files with different fates stay apart", () => {
  expect(shown([...many("skills/a", 15, "deleted"), ...many("skills/a", 15, "restored")])).toEqual([
    "skills/a/ (15 files)",
    "skills/a/ (15 files)",
  ]);
});
