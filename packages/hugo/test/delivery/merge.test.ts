import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { diffLines } from "../../src/delivery/merge/diff-lines.ts";
import { mergeTexts } from "../../src/delivery/merge/merge-texts.ts";

const clean = (text: string) => ({ kind: "clean", text }) as const;
const conflict = (...lines: number[]) => ({ kind: "conflict", lines }) as const;
const lines = (...words: string[]) => words.map((word) => `${word}\n`).join("");
const base = lines("a", "b", "c", "d", "e");

describe("a three-way merge", () => {
  test.each<[string, string, string, string, ReturnType<typeof mergeTexts>]>([
    ["neither side changed anything", base, base, base, clean(base)],
    ["only we changed", base, lines("a", "B", "c", "d", "e"), base, clean(lines("a", "B", "c", "d", "e"))],
    ["only they changed", base, base, lines("a", "c", "d", "e"), clean(lines("a", "c", "d", "e"))],
    [
      "far apart",
      base,
      lines("A", "b", "c", "d", "e"),
      lines("a", "b", "c", "d", "E"),
      clean(lines("A", "b", "c", "d", "E")),
    ],
    [
      "one line apart",
      base,
      lines("a", "B", "c", "d", "e"),
      lines("a", "b", "c", "D", "e"),
      clean(lines("a", "B", "c", "D", "e")),
    ],
    ["on neighbouring lines", base, lines("a", "B", "c", "d", "e"), lines("a", "b", "C", "d", "e"), conflict(2)],
    ["the same line differently", base, lines("a", "b", "X", "d", "e"), lines("a", "b", "Y", "d", "e"), conflict(3)],
    [
      "the same line alike",
      base,
      lines("a", "b", "X", "d", "e"),
      lines("a", "b", "X", "d", "e"),
      clean(lines("a", "b", "X", "d", "e")),
    ],
    [
      "the same and more",
      base,
      lines("a", "b", "X", "d", "e"),
      lines("A", "b", "X", "d", "e"),
      clean(lines("A", "b", "X", "d", "e")),
    ],
    ["both added at one place", base, `${base}x\n`, `${base}y\n`, conflict(6)],
    ["both added the same", base, `${base}x\n`, `${base}x\n`, clean(`${base}x\n`)],
    ["added at both ends", base, `x\n${base}`, `${base}y\n`, clean(`x\n${base}y\n`)],
    ["we deleted what they changed", base, lines("a", "b", "d", "e"), lines("a", "b", "C", "d", "e"), conflict(3)],
    [
      "both deleted the same",
      base,
      lines("a", "b", "d", "e"),
      lines("a", "b", "d", "e"),
      clean(lines("a", "b", "d", "e")),
    ],
    ["two conflicts", base, lines("1", "b", "c", "d", "2"), lines("3", "b", "c", "d", "4"), conflict(1, 5)],
    ["empty base", "", "x\n", "", clean("x\n")],
    ["empty base, both wrote", "", "x\n", "y\n", conflict(1)],
    [
      "we lost the last line end",
      base,
      base.trimEnd(),
      lines("A", "b", "c", "d", "e"),
      clean(`A${base.trimEnd().slice(1)}`),
    ],
    [
      "our editor made CRLF",
      base,
      base.replaceAll("\n", "\r\n"),
      lines("A", "b", "c", "d", "e"),
      clean(lines("A", "b", "c", "d", "e").replaceAll("\n", "\r\n")),
    ],
    [
      "they made CRLF",
      base,
      lines("A", "b", "c", "d", "e"),
      base.replaceAll("\n", "\r\n"),
      clean(lines("A", "b", "c", "d", "e")),
    ],
    [
      "our editor added a byte order mark",
      base,
      `\ufeff${base}`,
      lines("a", "b", "c", "d", "E"),
      clean(`\ufeff${lines("a", "b", "c", "d", "E")}`),
    ],
    [
      "we wrote lines with other ends",
      base,
      `a\nHTTP/1.1 200 OK\r\n\r\n${lines("b", "c", "d", "e")}`,
      lines("a", "b", "c", "d", "E"),
      clean(`a\nHTTP/1.1 200 OK\r\n\r\n${lines("b", "c", "d", "E")}`),
    ],
    [
      "we changed but the end of a line that they changed",
      base,
      base.replace("c\n", "c\r\n"),
      lines("a", "b", "C", "d", "e"),
      conflict(3),
    ],
    [
      "they wrote lines with other ends",
      base,
      lines("A", "b", "c", "d", "e"),
      `${base}x\r\ny\n`,
      clean(`A${base.slice(1)}x\r\ny\n`),
    ],
    [
      "our editor made CRLF and they wrote lines with other ends",
      base,
      base.replaceAll("\n", "\r\n"),
      `${base}x\r\ny\n`,
      clean(`${base}x\ny\n`.replaceAll("\n", "\r\n")),
    ],
    [
      "both wrote the same with other ends",
      base,
      lines("a", "b", "X", "d", "e").replaceAll("\n", "\r\n"),
      lines("a", "b", "X", "d", "e"),
      clean(lines("a", "b", "X", "d", "e").replaceAll("\n", "\r\n")),
    ],
    ["text that looks like conflict marks", base, `<<<<<<< x\n${base}`, base, clean(`<<<<<<< x\n${base}`)],
  ])("when %s", (_, from, ours, theirs, expected) => {
    expect(mergeTexts(from, ours, theirs)).toEqual(expected);
  });

  const text = fc.array(fc.constantFrom("a", "b", "c", "", "}", "- x"), { maxLength: 12 }).map((all) => lines(...all));

  test("with one side unchanged is the other side", () => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        expect(mergeTexts(from, to, from)).toEqual(clean(to));
        expect(mergeTexts(from, from, to)).toEqual(clean(to));
        expect(mergeTexts(from, to, to)).toEqual(clean(to));
      }),
    );
  });

  test("gives the same result in either order", () => {
    fc.assert(
      fc.property(text, text, text, (from, one, two) => {
        const [there, back] = [mergeTexts(from, one, two), mergeTexts(from, two, one)];
        expect(there.kind).toBe(back.kind);
        if (there.kind === "clean" && back.kind === "clean") expect(there.text).toBe(back.text);
      }),
    );
  });

  /** What one side makes of each line of the base: nothing, or other lines, and lines in front of it. */
  const edit = (word: string) => {
    const end = fc.constantFrom<string>("\n", "\r\n", "\r", "\r\r\n");
    return fc.record({
      mark: fc.constant(word),
      before: fc.oneof(
        { weight: 6, arbitrary: fc.constant<string[]>([]) },
        fc.array(end, { minLength: 1, maxLength: 2 }),
      ),
      is: fc.oneof({ weight: 8, arbitrary: fc.constant("kept") }, fc.constantFrom("replaced", "gone")),
      end,
    });
  };
  const story = fc.record({
    base: fc.array(fc.constantFrom("\n", "\r\n", "\n", "\r"), { minLength: 1, maxLength: 9 }),
    ours: fc.array(edit("our"), { minLength: 9, maxLength: 9 }),
    theirs: fc.array(edit("their"), { minLength: 9, maxLength: 9 }),
    habit: fc.constantFrom(undefined, "\n", "\r\n"),
    marked: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    unended: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  });

  test("keeps every byte of every line that they did not replace", () => {
    let merges = 0;
    fc.assert(
      fc.property(story, ({ base: ends, ours, theirs, habit, marked, unended }) => {
        const written = (lines: readonly string[], which: 0 | 1 | 2) =>
          (marked[which] ? "\ufeff" : "") + (unended[which] ? lines.join("").replace(/[\r\n]+$/, "") : lines.join(""));
        const from = ends.map((end, i) => `${i}${end}`);
        const made = (edits: typeof ours) =>
          from.flatMap((line, i) => {
            const { mark, before, is, end } = edits[i]!;
            const own = is === "kept" ? [line] : is === "gone" ? [] : [`${mark} ${i}${end}`];
            return [...before.map((last, j) => `${mark} ${i}.${j}${last}`), ...own];
          });
        const mine = written(made(ours), 1).replace(/\r?\n/g, (end) => habit ?? end);
        const merge = mergeTexts(written(from, 0), mine, written(made(theirs), 2));
        if (merge.kind === "conflict") return;
        merges += 1;
        const all = (text: string): string[] => text.replace(/^\ufeff/, "").match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const result = all(merge.text);
        const after = all(written(made(theirs), 2));
        const replaced = all(written(from, 0))
          .filter((line) => !after.includes(line))
          .map((line) => line.trimEnd());
        const missing = all(mine).filter((line) => !result.includes(line) && !replaced.includes(line.trimEnd()));
        expect(missing).toEqual([]);
        expect(merge.text.startsWith("\ufeff")).toBe(mine.startsWith("\ufeff"));
      }),
      { numRuns: 3000 },
    );
    expect(merges).toBeGreaterThan(300);
  });

  test("of long texts with nothing in common is fast, and a conflict", () => {
    const long = (word: string) => lines(...Array.from({ length: 20_000 }, (_, i) => `${word}${i}`));
    expect(mergeTexts(long("a"), long("b"), long("c"))).toEqual(conflict(1));
  });
});

describe("the lines that differ", () => {
  const words = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 14 });

  /** By the definition: the table of the longest common subsequence. */
  function common(a: readonly string[], b: readonly string[]): number {
    const table = a.map(() => b.map(() => 0));
    const at = (i: number, j: number) => table[i]?.[j] ?? 0;
    for (const [i, x] of a.entries()) {
      for (const [j, y] of b.entries()) {
        table[i]![j] = x === y ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
      }
    }
    return at(a.length - 1, b.length - 1);
  }

  test("are as few as possible, and turn one text into the other", () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const hunks = diffLines(a, b);
        const rebuilt: string[] = [];
        let at = 0;
        for (const { start, end, otherStart, otherEnd } of hunks) {
          rebuilt.push(...a.slice(at, start), ...b.slice(otherStart, otherEnd));
          at = end;
        }
        expect([...rebuilt, ...a.slice(at)]).toEqual(b);
        const kept = a.length - hunks.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(kept).toBe(common(a, b));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("beside git merge-file", () => {
  /** Each line once, and edits that move nothing: then there is one right answer. */
  const edit = fc.record({ at: fc.nat(19), op: fc.constantFrom("replace", "delete", "insert") });
  const edits = fc.array(edit, { maxLength: 5 });
  const source = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const edited = (who: string, all: readonly { at: number; op: string }[]) =>
    lines(
      ...source.flatMap((line, i) => {
        const mine = all.filter(({ at }) => at === i).map(({ op }) => op);
        const kept = mine.includes("delete") ? [] : [mine.includes("replace") ? `${who} ${i}` : line];
        return mine.includes("insert") ? [`${who} before ${i}`, ...kept] : kept;
      }),
    );

  test("the same texts merge, to the same result", async () => {
    await using folder = await temporaryFolder();
    const [basePath, ourPath, theirPath] = ["base", "ours", "theirs"].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    await Bun.write(basePath, lines(...source));
    let [merges, conflicts] = [0, 0];
    const shared = fc.sample(edits, { numRuns: 60, seed: 1 });
    for (const [i, mine] of shared.entries()) {
      // Some edits are made by both, so that equal changes meet.
      const other = [...(shared[(i + 7) % shared.length] ?? []), ...mine.slice(0, i % 2)];
      const [ours, theirs] = [edited("x", mine), edited(i % 3 === 0 ? "x" : "y", other)];
      await Bun.write(ourPath, ours);
      await Bun.write(theirPath, theirs);
      const git = Bun.spawnSync(["git", "merge-file", "-p", ourPath, basePath, theirPath]);
      const merge = mergeTexts(lines(...source), ours, theirs);
      if (git.exitCode === 0) expect(merge).toEqual(clean(git.stdout.toString()));
      else expect(merge.kind).toBe("conflict");
      if (git.exitCode === 0) merges += 1;
      else conflicts += 1;
    }
    expect(merges).toBeGreaterThan(5);
    expect(conflicts).toBeGreaterThan(5);
  });
});
