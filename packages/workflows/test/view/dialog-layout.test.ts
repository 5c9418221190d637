import { describe, expect, test } from "bun:test";
import { displayWidth } from "@atomic/terminal/width";
import { choiceList, dialogLayout, firstRow, linesFrom, moved } from "../../src/view/dialog-layout.ts";

test.each([
  ["all of a short question", 36, 2, 3, { textRows: 2, choiceRows: 3, isLong: false, gap: 1 }],
  ["a long text beside all of its choices", 36, 120, 3, { textRows: 16, choiceRows: 3, isLong: true, gap: 1 }],
  ["some of many choices", 36, 1, 60, { textRows: 1, choiceRows: 19, isLong: false, gap: 1 }],
  ["half of each if both are long", 36, 120, 60, { textRows: 10, choiceRows: 9, isLong: true, gap: 1 }],
  ["more of both without gaps in a small terminal", 16, 9, 9, { textRows: 4, choiceRows: 3, isLong: true, gap: 0 }],
  ["something of both in a tiny terminal", 8, 9, 9, { textRows: 1, choiceRows: 1, isLong: false, gap: 0 }],
] as const)("a dialog shows %s", (_, screenRows, textRows, choiceRows, layout) => {
  expect(dialogLayout({ screenRows, textRows, choiceRows, keyRows: 1 })).toEqual(layout);
});

test("nothing runs off the screen", () => {
  for (const screenRows of [10, 12, 16, 24, 36, 60]) {
    for (const all of [1, 5, 40]) {
      for (const choices of [1, 3, 30]) {
        for (const keyRows of [1, 2]) {
          const layout = dialogLayout({ screenRows, textRows: all, choiceRows: choices, keyRows });
          const { textRows, choiceRows, isLong, gap } = layout;
          const rows = textRows + choiceRows + (isLong ? 1 : 0) + keyRows + 3 * gap + 3;
          expect(rows).toBeLessThanOrEqual(Math.floor((screenRows * 3) / 4) + (screenRows < 12 ? 1 : 0));
        }
      }
    }
  }
});

describe("choices", () => {
  const long = "delete the database and everything that was ever written to it";

  test("that differ only at their ends do not look the same", () => {
    const { rows, spans } = choiceList([{ title: `${long} today` }, { title: `${long} tomorrow` }, { title: "c" }], 34);
    expect(rows.map(({ text }) => text)).toEqual([
      ...["delete the database and everything", "that was ever written to it today"],
      ...["delete the database and everything", "that was ever written to it", "tomorrow", "c"],
    ]);
    expect(rows.map(({ isFirst }) => isFirst)).toEqual([true, false, true, false, false, true]);
    expect(spans).toEqual([
      { from: 0, to: 2 },
      { from: 2, to: 5 },
      { from: 5, to: 6 },
    ]);
  });

  test("fit into the columns, however wide their characters are, and nothing of them is lost", () => {
    for (const title of ["漢字".repeat(30), "x".repeat(99), `${"👩‍👩‍👧".repeat(12)} end`]) {
      const { rows } = choiceList([{ title, description: "about" }], 11);
      for (const { text } of rows) expect(displayWidth(text)).toBeLessThanOrEqual(11);
      expect(
        rows
          .map(({ text }) => text)
          .join("")
          .replaceAll(" ", ""),
      ).toBe(`${title}about`.replaceAll(" ", ""));
    }
  });

  test("are always shown when they are selected", () => {
    const { rows, spans } = choiceList(
      Array.from({ length: 30 }, (_, at) => ({ title: "word ".repeat(at % 5).trim() || "none" })),
      9,
    );
    for (const span of spans) {
      const first = firstRow(0, span, 6, rows.length);
      expect(span.from).toBeGreaterThanOrEqual(first);
      expect(span.to).toBeLessThanOrEqual(first + 6);
    }
  });

  test("with more rows than are shown are read to the end before the next one", () => {
    const list = choiceList([{ title: "a" }, { title: "one two three four five six" }, { title: "b" }], 5);
    const shown = (position: { selected: number; top: number }): string => {
      const first = firstRow(position.top, list.spans[position.selected]!, 3, list.rows.length);
      return list.rows
        .slice(first, first + 3)
        .map(({ text }) => text)
        .join(" ");
    };
    let position = moved({ selected: 0, top: 0 }, 1, list, 3);
    const seen = [shown(position)];
    while (position.selected === 1) {
      position = moved(position, 1, list, 3);
      seen.push(shown(position));
    }
    expect(seen).toEqual(["one two three", "three four five", "four five six", "five six b"]);
    position = moved({ selected: 1, top: 4 }, -1, list, 3);
    expect(shown(position)).toBe("two three four");
    expect(moved(moved(position, -1, list, 3), -1, list, 3).selected).toBe(0);
    expect(moved({ selected: 0, top: 0 }, -1, list, 3).selected).toBe(2);
  });
});

test("a part of a text has the colours that it has in the whole", () => {
  const text = "\x1b[1mone\ntwo\x1b[22m\n\x1b[31mthree\nfour\x1b[39m";
  expect(linesFrom(text, 0, 1)).toBe("\x1b[1mone");
  expect(linesFrom(text, 1, 1)).toBe("\x1b[1mtwo\x1b[22m");
  expect(linesFrom(text, 3, 5)).toBe("\x1b[1m\x1b[22m\x1b[31mfour\x1b[39m");
});
