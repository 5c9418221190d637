import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { escapeForTerminal, findHiddenCharacters } from "../src/hidden-characters.ts";

const kindsIn = (text: string): string[] => findHiddenCharacters(text).map(({ kind }) => kind);

describe("hidden characters", () => {
  test.each([
    ["a right-to-left override", "safe\u202etxt.exe", ["bidi"]],
    ["isolates and marks", "\u2066a\u2069\u200e\u200f\u061c", ["bidi", "bidi", "bidi", "bidi", "bidi"]],
    ["zero width space, joiners between Latin letters", "a\u200bb\u200cc\u200dd\u2060", Array(4).fill("zero-width")],
    ["tags that spell a message", "hi\u{e0041}\u{e0042}\u{e007f}", ["tag", "tag", "tag"]],
    ["a black flag with a message", "\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}", ["tag", "tag", "tag"]],
    ["variation selectors that carry bytes", "a\ufe00\ufe01\u{e0100}\u{e01ef}", Array(4).fill("variation-selector")],
    [
      "selectors after letters of any script",
      "é\ufe00葛\u{e0100}字\u{e01ef}か\ufe0fا\ufe0f",
      Array(5).fill("variation-selector"),
    ],
    ["controls of shorthand and music", "a\u{1bca0}\u{1bca3}\u{1d173}", Array(3).fill("invisible")],
    ["what Unicode keeps for more tags and selectors", "a\u{e0080}\u{e0fff}", ["invisible", "invisible"]],
    ["a second selector after an emoji", "❤\ufe0f\ufe0f", ["variation-selector"]],
    ["a selector after a digit", "1\ufe0f", ["variation-selector"]],
    ["escape sequences", "\x1b[31mred\x1b]0;title\x07", ["ansi", "ansi", "control"]],
    ["their one-byte forms", "\x9b31m\x9dtitle\x90x", ["ansi", "ansi", "ansi"]],
    ["control characters", "\x00\x07\x08\x0b\x0c\x7f\x85", Array(7).fill("control")],
    ["a carriage return that hides a line", "good\rbad", ["control"]],
    ["a byte order mark inside", "a\ufeffb", ["byte-order-mark"]],
    ["a second byte order mark", "\ufeff\ufeffa", ["byte-order-mark"]],
    ["a soft hyphen", "com\xadmit", ["soft-hyphen"]],
    ["separators of lines and paragraphs", "a\u2028b\u2029", ["line-separator", "line-separator"]],
    ["invisible operators and fillers", "a\u2063b\u3164c\u115fd\u034f", Array(4).fill("invisible")],
    ["half of a pair", "a\ud800b\udc00", ["lone-surrogate", "lone-surrogate"]],
    ["a joiner at the end of an emoji", "👩\u200d", ["zero-width"]],
    ["a joiner between an emoji and a letter", "👩\u200da", ["zero-width"]],
    ["two joiners in Persian", "می\u200c\u200cخ", ["zero-width"]],
  ])("%s", (_, text, expected: string[]) => {
    expect(kindsIn(text)).toEqual(expected);
  });

  test.each([
    ["plain text", "Hello, world.\n\tTabs and\r\nline breaks.\n"],
    ["a byte order mark at the start", "\ufeffname: x"],
    ["accents and other scripts", "é ü ñ Ελληνικά кириллица 日本語 한국어 עברית"],
    ["emoji with selectors, skin and joiners", "❤️ ☺︎ 👍🏽 👩‍👩‍👧 🧑🏽‍💻 🏳️‍🌈 🇩🇪"],
    ["keycaps", "1️⃣ #️⃣ *️⃣"],
    ["flags of England, Scotland and Wales", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿"],
    ["Persian with its joiner", "می‌خواهم"],
    ["Hindi and Sinhala with theirs", "क्‍ष ශ්‍රී"],
    ["typographic spaces and dashes", "a\u00a0b\u2009c — d…"],
    ["nothing", ""],
  ])("are not: %s", (_, text) => {
    expect(kindsIn(text)).toEqual([]);
    expect(escapeForTerminal(text)).toBe(text);
  });

  test("are all that Unicode says is not shown, after a letter, a digit and an emoji", () => {
    const ignorable = /\p{Default_Ignorable_Code_Point}/u;
    const missed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (!ignorable.test(character)) continue;
      // One selector after an emoji says how to draw it.
      const isOfEmoji = code === 0xfe0e || code === 0xfe0f;
      const after = isOfEmoji ? ["a", "字", "1"] : ["a", "字", "1", "\u{1f600}"];
      if (!after.every((before) => kindsIn(before + character).length === 1)) missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });

  test("are located by line and column", () => {
    expect(findHiddenCharacters("one\ntwo\u200b\r\n😀\u202ex\u{e0041}")).toEqual([
      { kind: "zero-width", codePoint: 0x200b, offset: 7, line: 2, column: 4 },
      { kind: "bidi", codePoint: 0x202e, offset: 12, line: 3, column: 3 },
      { kind: "tag", codePoint: 0xe0041, offset: 14, line: 3, column: 5 },
    ]);
  });

  test("in great numbers do not take long", () => {
    const size = 200_000;
    expect(findHiddenCharacters("\u200b".repeat(size))).toHaveLength(size);
    expect(findHiddenCharacters("\n\u200b".repeat(size / 2)).at(-1)?.line).toBe(size / 2 + 1);
    expect(findHiddenCharacters(`${"👩\u200d".repeat(size / 3)}`).length).toBeGreaterThan(0);
    expect(findHiddenCharacters(`${"x".repeat(size)}\u200b`)).toHaveLength(1);
  });
});

describe("text for a terminal", () => {
  test.each([
    ["\x1b[2J\x1b]0;x\x07", "\\x1b[2J\\x1b]0;x\\x07"],
    ["ok\rno", "ok\\rno"],
    ["\x9b1m\x00", "\\x9b1m\\x00"],
    ["a\u202eb\u{e0041}", "a\\u{202e}b\\u{e0041}"],
    ["two\nlines\tand\r\nthree", "two\nlines\tand\r\nthree"],
    ["lone \ud800", "lone \\u{d800}"],
    ["\x08\x08\x7f", "\\x08\\x08\\x7f"],
  ])("%j becomes %j", (text, expected) => {
    expect(escapeForTerminal(text)).toBe(expected);
  });

  test("on a single line has no line breaks or tabs", () => {
    expect(escapeForTerminal("a\nb\tc\r\nd\re", { singleLine: true })).toBe("a\\nb\\tc\\r\\nd\\re");
  });

  test("never holds anything hidden, whatever went in", () => {
    const nasty = fc.constantFrom(
      "\x1b",
      "\r",
      "\n",
      "\u202e",
      "\u200d",
      "\ufe0f",
      "👩",
      "❤",
      "1",
      "\u{e0067}",
      "\ufeff",
      "a",
      "\u200c",
      "ی",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(nasty).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (value) => {
        expect(findHiddenCharacters(escapeForTerminal(value))).toEqual([]);
        expect(escapeForTerminal(value, { singleLine: true })).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      }),
      { numRuns: 5_000 },
    );
  });

  test("keeps everything that can be seen", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (value) => {
        if (findHiddenCharacters(value).length === 0) expect(escapeForTerminal(value)).toBe(value);
      }),
    );
  });
});
