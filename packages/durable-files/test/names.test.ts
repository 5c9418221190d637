import { describe, expect, test } from "bun:test";
import { DurableError } from "@atomic/durable-files/errors";
import { checkName, findNameCollisions, shown } from "@atomic/durable-files/safety/names";
import fc from "fast-check";

function refusalOf(name: string): string | undefined {
  try {
    checkName(name);
    return undefined;
  } catch (error) {
    if (error instanceof DurableError && error.code === "unsafe-path") return error.message;
    throw error;
  }
}

describe("a name", () => {
  test.each(["a", "review", "code-review_2.0", "0x", "a".repeat(64), "console", "com", "com10", "nulls", "proto"])(
    "%s is accepted",
    (name) => expect(checkName(name)).toBe(name),
  );

  test.each([
    "",
    "A",
    "-a",
    ".a",
    "_a",
    "a b",
    "a/b",
    "a\\b",
    "a\n",
    "a\0",
    "ä",
    "a".repeat(65),
    "@org/x",
    "..",
    "a:b",
    "а", // Cyrillic
    "a\u200b",
  ])("%j is refused for its characters or length", (name) => {
    expect(refusalOf(name)).toContain("not allowed");
  });

  test.each(["constructor"])("%s is refused because every object has it", (name) => {
    expect(refusalOf(name)).toContain("property of every JavaScript object");
  });

  test.each(["con", "nul", "aux", "prn", "com1", "lpt9", "con.md", "nul.tar.gz", "com0"])(
    "%s is refused for Windows",
    (name) => {
      expect(refusalOf(name)).toContain("reserved on Windows");
    },
  );

  test("with a dot at its end is refused", () => expect(refusalOf("a.")).toContain("ends with a dot"));

  test("that passes is safe as a key and as a file name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 70 }), (name) => {
        if (refusalOf(name) !== undefined) return;
        expect(name).toMatch(/^[a-z0-9][a-z0-9._-]*$/);
        expect(({} as Record<string, unknown>)[name]).toBeUndefined();
      }),
    );
    for (const key of Object.getOwnPropertyNames(Object.prototype)) expect(refusalOf(key)).toBeString();
  });

  test("that is refused is shown without anything a terminal would act on", () => {
    expect(refusalOf("\u001b[2J")).toStartWith('The name "\\u001b[2J" ');
  });
});

describe("text in a message", () => {
  test.each(["für äh/é.md", "日本語.md", "обзор.md", "Ελλάδα", "עברית", "नमस्ते", "日本review", "😀", "don’t – “so”"])(
    "%s is shown as it is written",
    (text) => expect(shown(text)).toBe(`"${text}"`),
  );

  test.each([
    ["a control character", "a\x9bb", "a\\u009bb"],
    ["a direction", "a\u202eb", "a\\u202eb"],
    ["an invisible character", "a\u200bb\ufe0f\u{e0041}", "a\\u200bb\\ufe0f\\u{e0041}"],
    ["another space", "a\u00a0b", "a\\u00a0b"],
    ["an accent apart from its letter", "u\u0308", "u\\u0308"],
    ["a Cyrillic letter in a Latin word", "r\u0435view", "r\\u0435view"],
    ["a Cyrillic word that looks Latin", "\u0441\u043e\u0441\u043e.md", "\\u0441\\u043e\\u0441\\u043e.md"],
    ["wide letters", "\uff46\uff4f", "\\uff46\\uff4f"],
    ["a sign like a slash", "a\u2215b", "a\\u2215b"],
    ["half of a character", "\ud83d", "\\ud83d"],
  ])("%s is escaped", (_, text, expected) => expect(shown(text)).toBe(`"${expected}"`));

  test("is cut, and says so", () => expect(shown("ä".repeat(130))).toBe(`"${"ä".repeat(120)}…"`));
});

describe("collisions", () => {
  test.each([
    [["a.md", "b.md"], []],
    [["agents/Review.md", "agents/review.md"], [["agents/Review.md", "agents/review.md"]]],
    [["caf\u00e9.md", "cafe\u0301.md"], [["caf\u00e9.md", "cafe\u0301.md"]]],
    [["straße.md", "STRASSE.md"], [["straße.md", "STRASSE.md"]]],
    [["ΟΔΟΣ", "οδος"], [["ΟΔΟΣ", "οδος"]]],
    [["Agents/a.md", "agents/b.md"], [["Agents", "agents"]]],
    [["skills/x", "skills/x/SKILL.md"], [["skills/x", "skills/x/SKILL.md"]]],
    [["x/y/z", "x"], [["x", "x/y/z"]]],
    [["skills/X", "skills/x/SKILL.md"], [["skills/X", "skills/x"]]],
    [["same.md", "same.md"], []],
    [["a/b", "a/c", "a/d/e"], []],
  ])("of %j are %j", (paths, expected) => {
    expect(findNameCollisions(paths)).toEqual(expected);
  });

  test("are found in ten thousand paths", () => {
    const paths = Array.from({ length: 10_000 }, (_, index) => `folder-${index % 100}/file-${index}.md`);
    expect(findNameCollisions([...paths, "folder-7/FILE-7.md"])).toEqual([
      ["folder-7/file-7.md", "folder-7/FILE-7.md"],
    ]);
  });
});
