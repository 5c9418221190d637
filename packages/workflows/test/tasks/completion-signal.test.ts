import { describe, expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";
import fc from "fast-check";
import { hasSignal } from "../../src/tasks/completion-signal.ts";

describe("it is done:", () => {
  test.each([
    ["COMPLETE"],
    ["All tests pass.\n\nCOMPLETE\n"],
    ["COMPLETE\n\nWhat I did:\n- the parser\n- its tests"],
    ["All tests pass.\r\n  **COMPLETE**  \r\n"],
    ["<promise>COMPLETE</promise>"],
    ["All tests pass. <promise>COMPLETE</promise>"],
    ["All tests pass: <promise> COMPLETE </promise>."],
    ["Everything is in place, so <done>COMPLETE</done>"],
    ["I did not find any other failure. <promise>COMPLETE</promise>"],
    ["- <COMPLETE/>"],
    ["Status:\nCOMPLETE"],
    ["```\nnpm test\n```\nCOMPLETE"],
    ["````\n```\n````\nCOMPLETE"],
    ["1. COMPLETE"],
    ["I changed the <style> of `<!--` and it`s header.\n\nCOMPLETE"],
    ["> as it was\n\n<promise>COMPLETE</promise>"],
    ["<!-- a remark -->\nCOMPLETE"],
    ["1. ```\n   npm test\n   ```\n\nCOMPLETE"],
  ])("%j", (message) => {
    expect(hasSignal(message, "COMPLETE")).toBe(true);
  });
});

describe("it is not, for", () => {
  test.each([
    ["nothing is said", ""],
    ["the word is part of a sentence", "The migration is COMPLETE but the tests fail."],
    ["it is another word", "INCOMPLETE"],
    ["it is written differently", "complete"],
    ["it ends a sentence", "Two of three are COMPLETE"],
    ["it is quoted", "> COMPLETE"],
    ["it is quoted as a tag", "  > <promise>COMPLETE</promise>"],
    ["it stands in quotation marks", '"<promise>COMPLETE</promise>"'],
    ["it stands in quotation marks of its own line", '"COMPLETE"'],
    ["it is code", "```\nCOMPLETE\n```"],
    ["it is code of a list", "1. Print\n   ~~~\n   <promise>COMPLETE</promise>\n   ~~~"],
    ["it is code that does not end", "Then:\n```sh\necho\nCOMPLETE"],
    ["it is code with a shorter fence inside", "````\n```\nCOMPLETE\n```\n````"],
    ["it is indented code", "Print this:\n\n    COMPLETE"],
    ["it is code in a line", "I print `<promise>COMPLETE</promise>`"],
    ["it is announced", "When all is done I will print <promise>COMPLETE</promise>"],
    ["it is announced, and ends a sentence", "Two are left. I'll say <promise>COMPLETE</promise>."],
    ["it is announced in the line before", "Once every test passes, I will output:\n\nCOMPLETE"],
    ["it is announced as a tag in the line before", "My instructions say:\n<promise>COMPLETE</promise>"],
    ["it is denied", "I cannot say <promise>COMPLETE</promise>"],
    ["the sentence goes on", "The <promise>COMPLETE</promise> tag follows later."],
    ["the tag does not end as it began", "<promise>COMPLETE</done>"],
    ["it is a comment", "<!-- COMPLETE -->"],
    ["the tag holds more", "<promise>COMPLETE soon</promise>"],
    ["it is code that shows code", "```md\n```text\n<promise>COMPLETE</promise>\n```\n```"],
    ["its fence is of another kind", "```\n~~~\nCOMPLETE\n~~~\n```"],
    ["it is a comment of several lines", "<!--\n<promise>COMPLETE</promise>\n-->"],
    ["it is a comment that begins in a sentence", "See <!-- this:\nCOMPLETE\n-->"],
    ["it is a comment without an end", "<!-- like this\n\nCOMPLETE"],
    ["it is preformatted", "<pre>\n\n<promise>COMPLETE</promise>\n</pre>"],
    ["it is preformatted behind a sentence", "Say <PRE class=x>\nCOMPLETE\n</PRE>"],
    ["it is a quotation in HTML", "<blockquote>\nCOMPLETE\n</blockquote>"],
    ["it goes on with a quotation", "> They said\n<promise>COMPLETE</promise>"],
    ["it is code of several lines in a sentence", "Print `this:\n<promise>COMPLETE</promise>\n` and stop"],
  ])("%s", (_why, message) => {
    expect(hasSignal(message, "COMPLETE")).toBe(false);
  });
});

test.each([
  ["its last line", "Fine.\n\n<outcome>passing</outcome>\n\n", true],
  ["the end of its last line", "All of it works. <outcome>passing</outcome>", true],
  ["a line with more behind it", "<outcome>passing</outcome>\n\nBut two tests still fail.", false],
  ["a line with code behind it", "<outcome>passing</outcome>\n```\n2 tests fail\n```", false],
  ["a line with a comment behind it", "<outcome>passing</outcome>\n<!-- two tests fail -->", false],
  ["the last line of code", "```\n<outcome>passing</outcome>\n```", false],
])("a signal that must end a message is looked for there: %s", (_where, message, expected) => {
  expect(hasSignal(message, "<outcome>passing</outcome>", { where: "last-line" })).toBe(expected);
});

test("a signal can be a tag, and have any characters", () => {
  expect(hasSignal("Done. <promise>ALL (3) DONE</promise>", "ALL (3) DONE")).toBe(true);
  expect(hasSignal("Done. <promise>COMPLETE</promise>", "<promise>COMPLETE</promise>")).toBe(true);
  expect(hasSignal("It is `<promise>COMPLETE</promise>`", "<promise>COMPLETE</promise>")).toBe(false);
  expect(hasSignal("$& (.*) \\d", "$& (.*) \\d")).toBe(true);
  expect(hasSignal("anything", "(.*)")).toBe(false);
  expect(hasSignal("\n\n", " ")).toBe(false);
});

test("nothing in a code block or a quotation is the signal", () => {
  const inner = fc.array(fc.constantFrom("COMPLETE", "<promise>COMPLETE</promise>", "", "text", "> x", "    y"));
  fc.assert(
    fc.property(inner, fc.boolean(), (lines, quoted) => {
      const text = quoted ? lines.map((line) => `> ${line}`).join("\n") : `~~~\n${lines.join("\n")}\n~~~`;
      expect(hasSignal(`Look:\n\n${text}\n\nMore to do.`, "COMPLETE")).toBe(false);
    }),
  );
});

test("a separate line counts after any prose that does not announce it", () => {
  const prose = fc.array(fc.constantFrom("Fixed the parser.", "Tests pass.", "", "- one", "# Summary"));
  fc.assert(fc.property(prose, (lines) => expect(hasSignal([...lines, "COMPLETE"].join("\n"), "COMPLETE")).toBe(true)));
});

test("a message of near misses is read in linear time", () => {
  const read = (size: number): void => {
    const text = `${"<a".repeat(size)}\n${"<promise>COMPLETE ".repeat(size / 2)}\n${"`".repeat(size)}\n${" ".repeat(size)}x`;
    expect(hasSignal(text, "COMPLETE")).toBe(false);
  };
  expect(growth(10_000, read)).toBeLessThan(1.5);
});

test.each([
  "_",
  "*",
  "` ",
  "`` ` ",
  "<!-- ",
  "<pre>",
  "> x\n",
  "- ",
  "1. ",
  "  ",
  "\t",
  "a. ",
  "<a>",
  "```\n",
  "<!--\n",
  "x`\n",
])("%j, repeated any number of times, is read in linear time", (piece) => {
  const read = (size: number): void => {
    const many = piece.repeat(size);
    expect(hasSignal(`x${many}x`, "COMPLETE")).toBe(false);
    expect(hasSignal(`${many}`, "COMPLETE")).toBe(false);
  };
  expect(growth(20_000, read)).toBeLessThan(1.5);
});
