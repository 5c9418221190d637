import { expect, test } from "bun:test";
import { terminal } from "@atomic/testing/terminal";
import fc from "fast-check";
import { displayWidth, graphemesOf, padEnd, truncate } from "../src/width.ts";

const samples = [
  "plain ASCII",
  "Grüße, “Welt” — naïve façade… €5",
  "Привет, κόσμε",
  "漢字かなカナ한국어",
  "Ｆｕｌｌ　ｗｉｄｔｈ",
  "e\u0301 a\u0308\u0323",
  "🫠 🚀 ☎ ✅ →",
  "\u1112\u1161\u11ab",
  "नमस्ते",
];

test.each(samples)("%s is as wide as a terminal draws it", async (text) => {
  await using term = await terminal(["printf", "%s", text], { cols: 80, rows: 2 });
  await term.exit;
  expect(displayWidth(text)).toBe(term.cursor.x);
});

// Here terminals differ; these are the widths that newer ones and Bun agree on.
test.each(["👍🏽", "👩‍👩‍👧", "🇨🇭", "❤️"])("%s is one emoji", (text) => {
  expect(displayWidth(text)).toBe(2);
  expect(Bun.stringWidth(text)).toBe(2);
});

test("text on the fast path is one column per character", () => {
  const plain = fc.string({ unit: fc.constantFrom(..."aZ09 ~éßŁΩЖ–—“”…€") });
  fc.assert(fc.property(plain, (text) => expect(displayWidth(text)).toBe(Bun.stringWidth(text))));
});

test.each([
  ["description", 11, "description"],
  ["description", 5, "desc…"],
  ["two words", 5, "two…"],
  ["x", 1, "x"],
  ["xy", 1, "…"],
  ["xy", 0, ""],
  ["漢字漢字", 5, "漢字…"],
  ["漢字漢字", 4, "漢…"],
  ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
  ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
])("%s in %i columns is %s", (text, columns, expected) => {
  expect(truncate(text, columns)).toBe(expected);
});

test("truncated text fits, and padded text fills the width", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "漢", "é", "🚀", "e\u0301") });
  fc.assert(
    fc.property(text, fc.nat(20), (any, columns) => {
      expect(displayWidth(truncate(any, columns))).toBeLessThanOrEqual(columns);
      expect(displayWidth(padEnd(truncate(any, columns), columns))).toBe(columns);
    }),
  );
});

test("characters are those of the platform, in any text", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const unit = fc.constantFrom(
    ..."aZ ~é©®Ωж漢字かナー、。한ㅎก\n\r\t",
    ..."\u0301\u200d\ufe0f\u0600\u0483\u3099\u302a\u1160\u11a8\u0e33\u00ad",
    ..."🚀👩👧🇩🇪🏽〰㊗",
    "\ud83d",
    "\udc69",
  );
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit, maxLength: 30 }), fc.string({ unit: "binary", maxLength: 30 })), (text) => {
      expect([...graphemesOf(text)]).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
    }),
    { numRuns: 5000 },
  );
});

test("a long text with one wide character is taken apart, too", () => {
  const text = `${"word ".repeat(100_000)}漢`;
  expect(displayWidth(text)).toBe(500_002);
  expect(truncate(text, 10)).toBe("word word…");
});
