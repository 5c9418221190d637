// Who owns a comment, shown as the text before and after. Leading white space is cut off.
import { describe, expect, test } from "bun:test";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";

type Picture = readonly [behavior: string, index: number, before: string, after: string];

function picture(text: string): string {
  const lines = text.replace(/^\n/, "").split("\n");
  const indent = /^ */.exec(lines[0]!)![0].length;
  return lines.map((line) => line.slice(indent)).join("\n");
}

describe("removing an item", () => {
  const pictures: readonly Picture[] = [
    [
      "takes its trailing comment along and leaves that of its neighbours",
      1,
      `
      [
        "a", // why a
        "b", // why b
        "c" // why c
      ]`,
      `
      [
        "a", // why a
        "c" // why c
      ]`,
    ],
    [
      "at the end takes the comma of the one before, which keeps its comment",
      1,
      `
      [
        "a", // why a
        "b" // why b
      ]`,
      `
      [
        "a" // why a
      ]`,
    ],
    [
      "at the end keeps the trailing comma style",
      1,
      `
      [
        "a", // why a
        "b", // why b
      ]`,
      `
      [
        "a", // why a
      ]`,
    ],
    [
      "at the start takes the comment lines directly above it",
      0,
      `
      [ // the list
        // about a
        // more about a
        "a",
        // about b
        "b"
      ]`,
      `
      [ // the list
        // about b
        "b"
      ]`,
    ],
    [
      "leaves a comment block that a blank line sets apart",
      1,
      `
      [
        "a",

        // section two

        // about b
        "b",
        "c"
      ]`,
      `
      [
        "a",

        // section two

        "c"
      ]`,
    ],
    [
      "leaves commented-out items below it",
      0,
      `
      [
        "a", // why a
        // "b",
        // "c",
      ]`,
      `
      [
        // "b",
        // "c",
      ]`,
    ],
    [
      "takes several comments of its line",
      0,
      `
      [
        "a" /* one */, /* two */ // three
        "b"
      ]`,
      `
      [
        "b"
      ]`,
    ],
    [
      "takes a block comment that ends on a later line",
      0,
      `
      [
        "a", /* starts here,
                ends here */
        "b"
      ]`,
      `
      [
        "b"
      ]`,
    ],
    [
      "in comma-first style takes its own comma",
      1,
      `
      [
          "a" // why a
        // about b
        , "b" // why b
        , "c" // why c
      ]`,
      `
      [
          "a" // why a
        , "c" // why c
      ]`,
    ],
    [
      "in comma-first style lets the second become the first",
      0,
      `
      [ "a" // why a
      , "b" // why b
      ]`,
      `
      [ "b" // why b
      ]`,
    ],
    [
      "keeps the next item's comment above a leading comma",
      0,
      `
      [
          "a"
        // about b
        , "b"
      ]`,
      `
      [
        // about b
        "b"
      ]`,
    ],
    [
      "never lets a line comment swallow the closing bracket",
      1,
      `
      [
        "a", // why a
        "b" ]`,
      `
      [
        "a" // why a
         ]`,
    ],
    [
      "leaves the rest of its row alone",
      2,
      `
      [
        "a", "b",
        "c", "d" // row two
      ]`,
      `
      [
        "a", "b",
        "d" // row two
      ]`,
    ],
    ["on one line takes the comment before its comma", 0, '["a" /* a */ , "b" /* b */]', '["b" /* b */]'],
    ["on one line takes the comment between the comma and itself", 1, '["a", /* b */ "b", "c"]', '["a", "c"]'],
    ["on one line leaves the comment of the next", 0, '["a", /* b */ "b"]', '[/* b */ "b"]'],
    ["on one line leaves the comment of the list", 0, '[ /* list */ "a" ]', "[ /* list */ ]"],
    ["at the end of one line leaves the comment of the one before", 1, '["a" /* a */ , "b"]', '["a" /* a */]'],
    ["that is alone leaves empty brackets", 0, '[\n  "a" // why a\n]', "[\n]"],
    ["that is alone, without comments, closes the brackets", 0, '[\n  "a",\n]', "[]"],
    ["that is alone on one line keeps the inner space", 0, '[ "a" ]', "[ ]"],
  ];
  test.each(pictures)("%s", (_, index, before, after) => {
    expect(editJsonc(picture(before), [{ op: "remove", path: [index] }])).toBe(picture(after));
  });
});

describe("inserting an item", () => {
  const pictures: readonly Picture[] = [
    [
      "after a trailing comment puts the comma before it and the item below it",
      1,
      `
      [
        "a" // why a
      ]`,
      `
      [
        "a", // why a
        "new"
      ]`,
    ],
    [
      "between two keeps both comments with their owners",
      1,
      `
      [
        "a", // why a
        // about b
        "b"
      ]`,
      `
      [
        "a", // why a
        "new",
        // about b
        "b"
      ]`,
    ],
    [
      "at the start goes above the comment of the first, below that of the list",
      0,
      `
      [ // the list
        // about a
        "a"
      ]`,
      `
      [ // the list
        "new",
        // about a
        "a"
      ]`,
    ],
    [
      "at the end goes above commented-out items, so they do not become its comment",
      1,
      `
      [
        "a",
        // "b",
      ]`,
      `
      [
        "a",
        "new",
        // "b",
      ]`,
    ],
    [
      "keeps the trailing comma style",
      1,
      `
      [
        "a", // why a
      ]`,
      `
      [
        "a", // why a
        "new",
      ]`,
    ],
    [
      "into a list of comments goes above them",
      0,
      `
      [
        // "a",
      ]`,
      `
      [
        "new"
        // "a",
      ]`,
    ],
    [
      "follows the comma-first style",
      2,
      `
      [ "a"
      , "b" // why b
      ]`,
      `
      [ "a"
      , "b" // why b
      , "new"
      ]`,
    ],
    [
      "follows the comma-first style at the start",
      0,
      `
      [
          "a"
        , "b"
      ]`,
      `
      [
          "new"
        , "a"
        , "b"
      ]`,
    ],
    [
      "follows the comma-first style in the middle",
      1,
      `
      [
          "a" // why a
        // about b
        , "b"
      ]`,
      `
      [
          "a" // why a
        , "new"
        // about b
        , "b"
      ]`,
    ],
    ["on one line leaves the comment before the comma", 1, '["a" /* a */]', '["a" /* a */, "new"]'],
    ["on one line leaves the comment of the next", 1, '["a", /* b */ "b"]', '["a", "new", /* b */ "b"]'],
    ["on one line behind a comment of the list", 0, "[ /* list */ ]", '[ /* list */ "new" ]'],
    ["behind a trailing comma and a comment needs a line", 1, '["a", /* a */ ]', '["a", /* a */\n  "new", ]'],
    ["in a row continues the row", 2, '[\n  "a", "b"\n]', '[\n  "a", "b", "new"\n]'],
  ];
  test.each(pictures)("%s", (_, index, before, after) => {
    const inserted = editJsonc(picture(before), [{ op: "insert", path: [], value: "new", index }]);
    expect(inserted).toBe(picture(after));
    expect(editJsonc(inserted, [{ op: "remove", path: [index] }])).toBe(picture(before));
  });
});

describe("keys follow the same rules", () => {
  test("a key goes with its comments, the section heading stays", () => {
    const before = `
      {
        "a": 1, // why a

        // ── section ──

        // about b
        "b": { // opens b
          "c": [] // why c
        }, // closes b
        "d": 2
      }`;
    const after = `
      {
        "a": 1, // why a

        // ── section ──

        "d": 2
      }`;
    expect(editJsonc(picture(before), [{ op: "remove", path: ["b"] }])).toBe(picture(after));
  });

  test("replacing a value leaves every comment around it", () => {
    const before = '{\n  // above\n  "a" /* k */ : /* v */ 1 /* after */, // end\n  "b": 2\n}';
    expect(editJsonc(before, [{ op: "set", path: ["a"], value: "x" }])).toBe(before.replace("1", '"x"'));
  });
});
