// That Claude Code does the same is shown by trees/odd-contents.ts.
import { describe, expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";
import { isNameForClaude, shownByClaude } from "../../src/entities/tools/claude.ts";

describe("a text as Claude Code shows it", () => {
  test.each([
    ["emoji of several parts", "dev 👩‍💻 ok ❤️ 1️⃣ 👨‍👩‍👧‍👦 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    ["Persian", "می\u200cخواهم خانه\u200cای"],
    ["a mark before the non-joiner", "بَ\u200cب"],
    ["Devanagari", "क्\u200dष क्\u200cष क़्\u200dष"],
    ["Sinhala", "ක්\u200dර"],
    ["spaces that are seen", "a\u00a0b  c\u3000d"],
  ])("keeps %s", (_, text) => {
    expect(shownByClaude(text)).toBe(text);
  });

  test.each([
    ["a\u200bb\u200b\u200bc", "a b c"],
    ["a\tb\r\nc\u2028d", "a b c d"],
    ["a\u00adb\u2800c\u3164d\ue000e", "a b c d e"],
    ["👩\u200d 👩\u200da 👩\u200d🐶", "👩  👩 a 👩 🐶"],
    ["⌚\ufe0f #\ufe0f ❤\ufe0e", "⌚  #  ❤ "],
    ["می\u200c a\u200cب ا\u200cب ب\u200cء", "می  a ب ا ب ب ء"],
    ["ب\u200c\u200cب ب\u200dب", "ب ب ب ب"],
    ["क\u200dष क्\u200d", "क ष क् "],
    ["ක්\u200cර", "ක් ර"],
  ])("has spaces for what cannot be seen in %j", (text, shown) => {
    expect(shownByClaude(text)).toBe(shown);
  });

  test.each(["\u200c", "ب\u200c", "َ", "ب\u064e\u200c", "👩\u200d", "क्\u200d", "\u{1f3f4}\u{e0067}"])(
    "is made in time that grows with it, also of many %j",
    (part) => {
      const read = (size: number): void => expect(shownByClaude(part.repeat(size)).length).toBeGreaterThan(0);
      expect(growth(10_000, read)).toBeLessThan(1.5);
    },
  );
});

test.each(["review", "Big Review", "👩‍💻 dev", "می\u200cخواهم", "a:b/c & d", "n".repeat(256)])(
  "Claude Code shows the name %j",
  (name) => {
    expect(isNameForClaude(name)).toBe(true);
  },
);

test.each(["", " a", "a ", "a  b", "a\tb", "a\u00a0b", "a\u200bb", "<a>", "a>b", "n".repeat(257)])(
  "Claude Code shows the folder instead of the name %j",
  (name) => {
    expect(isNameForClaude(name)).toBe(false);
  },
);
