import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { escapeForTerminal } from "../src/hidden-characters.ts";
import { withRunner } from "../src/page.ts";
import { isPlainLine, safe, safeLine } from "../src/safe-text.ts";
import { formatTable } from "../src/table.ts";
import { displayWidth, graphemesOf, padEnd } from "../src/width.ts";
import { foldLines, paragraph, promptText } from "../src/wrap.ts";

const plain = { colour: false };

describe("folded lines", () => {
  const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;
  test.each([
    ["short", 5, "short"],
    ["echo harmless; rm -rf ~", 9, "echo harm\nless; rm \n-rf ~"],
    ["漢字漢字", 5, "漢字\n漢字"],
    ["a\nlonger", 4, "a\nlong\ner"],
    [`${red("red")} and plain`, 5, `${red("red")} a\nnd pl\nain`],
    [red("all red"), 4, red("all \nred")],
    ["漢", 1, "漢"],
  ])("%j in %p columns are %j", (text, columns, folded) => {
    expect(foldLines(text, columns)).toBe(folded);
  });

  test("lose nothing, and none is wider than the page, unless it is one character that is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const line = safeLine(text);
        const folded = foldLines(line, columns);
        expect(folded.replaceAll("\n", "")).toBe(line);
        const wide = folded.split("\n").filter((part) => displayWidth(part) > columns);
        expect(wide.filter((part) => [...graphemesOf(part)].length > 1)).toEqual([]);
      }),
      // A note with its stem and flag is one character, and three columns wide.
      { examples: [["\u{1d158}\u{1d165}\u{1d16e}", 2]] },
    );
  });
});

test.each([
  ["  yes or no: ", 40, "  yes or no: "],
  ["  line 9 of 64; Enter for more, or answer no: ", 40, "  line 9 of 64; Enter for more, or\n  answer no: "],
  ["  yes or no: ", 14, "  yes or no: "],
  ["  yes or no: ", 13, "  yes or\n  no: "],
  ["  ", 40, "  "],
  ["  line 9 of 64; Enter for more, or answer no: ", undefined, "  line 9 of 64; Enter for more, or answer no: "],
])("the prompt %j in %p columns is %j: one column is left to type in", (prompt, columns, shown) => {
  const page = { ...plain, ...(columns !== undefined && { columns }) };
  expect(promptText(prompt, page, { indent: "  " })).toBe(shown);
});

describe("a table", () => {
  const columns = [{ title: "NAME", least: 6 }, { title: "FROM" }, { title: "ABOUT", least: 4 }];
  const rows = [
    ["a-long-name", "here", "something long"],
    ["漢字", "there", ""],
  ];
  test.each([
    [undefined, ["NAME         FROM   ABOUT", "a-long-name  here   something long", "漢字         there"]],
    [34, ["NAME         FROM   ABOUT", "a-long-name  here   something long", "漢字         there"]],
    [28, ["NAME         FROM   ABOUT", "a-long-name  here   somethi…", "漢字         there"]],
    [24, ["NAME         FROM   ABO…", "a-long-name  here   som…", "漢字         there"]],
    [20, ["NAME     FROM   ABO…", "a-long…  here   som…", "漢字     there"]],
  ])("of %p columns gives way from its end", (width, expected) => {
    const page = { ...plain, ...(width !== undefined && { columns: width }) };
    expect(formatTable(columns, rows, page).trimEnd().split("\n")).toEqual(expected);
  });

  test("is never wider than the page, down to where there is nothing to see", () => {
    for (let width = 4; width < 40; width += 1) {
      const lines = formatTable(columns, rows, { ...plain, columns: width }).split("\n");
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  test("a long name is cut before the state beside it is, and other columns go first", () => {
    const titles = [{ title: "NAME" }, { title: "STATE" }, { title: "ABOUT", least: 4 }];
    const long = [["a-name-that-takes-all-the-room", "enabled", "something"]];
    const shown = (width: number) =>
      formatTable(titles, long, { ...plain, columns: width })
        .trimEnd()
        .split("\n");
    expect(shown(46)[1]).toBe("a-name-that-takes-all-the-room  enabled  some…");
    expect(shown(30)).toEqual(["NAME                 STATE", "a-name-that-takes-…  enabled"]);
  });

  test("has its colors around the words, not around the space between them", () => {
    const row = [{ text: "a", colour: "red" } as const, "b"];
    expect(formatTable([{ title: "LONG" }, { title: "B" }], [row], { colour: true })).toBe(
      "\x1b[2mLONG\x1b[22m  \x1b[2mB\x1b[22m\n\x1b[31ma\x1b[39m     b\n",
    );
  });
});

describe("plain text, which is not looked at twice", () => {
  test("is drawn as if it had been", () => {
    const cell = fc.oneof(
      fc.constantFrom("", " ", "a", " a", "a ", "a  b", "a b", "|", "日本", "\x1b[2J", "\u202e", "\t"),
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.string({ maxLength: 6 }),
    );
    const columns = [{ title: "A" }, { title: "B" }, { title: "C" }];
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }), (rows) => {
        const widths = columns.map(({ title }, at) =>
          Math.max(title.length, ...rows.map((row) => displayWidth(safeLine(row[at] ?? "")))),
        );
        const line = (row: readonly string[]): string =>
          row
            .map((text, at) => padEnd(safeLine(text), widths[at] ?? 0))
            .join("  ")
            .trimEnd();
        const expected = [columns.map(({ title }) => title), ...rows].map((row) => `${line(row)}\n`).join("");
        expect(formatTable(columns, rows, { colour: false })).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("is nothing that could do or hide something", () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), fc.string({ maxLength: 8 }));
    fc.assert(
      fc.property(text, (foreign) => {
        const slow = escapeForTerminal(foreign.replace(/[ \t\r\n]+/g, " ").trim(), { singleLine: true });
        expect(safeLine(foreign)).toBe(slow);
        if (isPlainLine(foreign)) expect(displayWidth(foreign)).toBe(foreign.length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a paragraph", () => {
  test("is not broken within a command in backticks, which is there to be pasted", () => {
    const page = { colour: false, columns: 20 };
    const text = "To see why: `hugo info './a b c d e'`. A ` alone breaks as always here.";
    expect(paragraph(text, page, { indent: "  " })).toBe(
      "To see why:\n  `hugo info './a b c d e'`.\n  A ` alone breaks\n  as always here.\n",
    );
  });

  test.each([
    [undefined, "- one two three four\n"],
    [20, "- one two three four\n"],
    [14, "- one two\n  three four\n"],
    [7, "- one\n  two\n  three\n  four\n"],
    [1, "- one\n  two\n  three\n  four\n"],
  ])("of %p columns breaks between words", (columns, expected) => {
    const page = { ...plain, ...(columns !== undefined && { columns }) };
    expect(paragraph("one two three four", page, { lead: "- ", indent: "  " })).toBe(expected);
  });

  test("does not count color codes", () => {
    const page = { colour: true, columns: 7 };
    expect(paragraph("\x1b[31mone two\x1b[39m six", page, { indent: "" })).toBe("\x1b[31mone two\x1b[39m\nsix\n");
  });
});

test("foreign text in a sentence is one visible line", () => {
  expect(safe`Nobody is called "${"a\n\tb\x1b[31m"}", ${2} times.`).toBe('Nobody is called "a b\\x1b[31m", 2 times.');
  expect(safeLine("  spaced \r\n out\u202e ")).toBe("spaced out\\u{202e}");
});

describe("commands of a program that a shell finds by another name", () => {
  test.each([
    ["Run `hugo ci`.", "Run `npx hugo-pm ci`."],
    ["Next: hugo ci, or hugo undo", "Next: npx hugo-pm ci, or npx hugo-pm undo"],
    ["`cd flow && npm install && hugo build`", "`cd flow && npm install && npx hugo-pm build`"],
    ["Type `cd a && hugo ci && hugo list`.", "Type `cd a && npx hugo-pm ci && npx hugo-pm list`."],
    ["`cd a` && hugo thinks", "`cd a` && hugo thinks"],
    ["`my-hugo build`, or what hugo does", "`my-hugo build`, or what hugo does"],
  ])("%s", (written, shown) => {
    expect(withRunner(written, "hugo", { runner: "npx", named: { inTexts: "hugo", here: "hugo-pm" } })).toBe(shown);
  });
});
