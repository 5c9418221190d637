import { expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import { formatPairs, type Pair } from "../../../src/commands/shared/pairs.ts";

const pair = (subject: string, text: string): Pair => ({ lead: "  ", subject, text });
const pairs = [
  pair("agents/a.md", "clean"),
  pair("agents/with-a-long-name.md", "modified"),
  pair("b", "one two three four five six seven"),
];
const shown = (columns?: number): string[] =>
  formatPairs(pairs, { colour: false, ...(columns !== undefined && { columns }) }).split("\n");

test("texts start in one column and wrap within it", () => {
  expect(shown()).toEqual([
    "  agents/a.md                 clean",
    "  agents/with-a-long-name.md  modified",
    "  b                           one two three four five six seven",
    "",
  ]);
  expect(shown(59).slice(2)).toEqual([
    "  b                           one two three four five six",
    "                              seven",
    "",
  ]);
});

test("a text without room moves up to its subject, or below it", () => {
  expect(shown(40)).toEqual([
    "  agents/a.md                 clean",
    "  agents/with-a-long-name.md  modified",
    "  b  one two three four five six seven",
    "",
  ]);
  expect(shown(28)).toEqual([
    "  agents/a.md  clean",
    "  agents/with-a-long-name.md",
    "    modified",
    "  b",
    "    one two three four five",
    "    six seven",
    "",
  ]);
});

test("no line is wider than the page, and no word is missing", () => {
  for (let columns = 30; columns < 100; columns += 1) {
    const lines = shown(columns);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
    expect(lines.join(" ").split(/\s+/)).toEqual(shown().join(" ").split(/\s+/));
  }
});

test("a subject of an unusual length moves only its own text", () => {
  const long = "x".repeat(70);
  const lines = formatPairs([...pairs, pair(long, "far")], { colour: false }).split("\n");
  expect(lines.slice(0, 3)).toEqual(shown().slice(0, 3));
  expect(lines[3]).toBe(`  ${long}  far`);
});

test("colors do not shift the layout", () => {
  const text = formatPairs([{ ...pair("a", "one two"), colour: "red" }], { colour: true, columns: 9 });
  expect(text).toBe("  a\n    \x1b[31mone\x1b[39m\n    \x1b[31mtwo\x1b[39m\n");
  const dim = pairs.map((each): Pair => ({ ...each, subjectColour: "dim" }));
  for (const columns of [30, 40, 60]) {
    expect(withoutColour(formatPairs(dim, { colour: true, columns }))).toBe(shown(columns).join("\n"));
  }
});
