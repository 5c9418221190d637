import { describe, expect, test } from "bun:test";
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
  ])("%s", (_why, message) => {
    expect(hasSignal(message, "COMPLETE")).toBe(false);
  });
});

test("a signal can be a tag, and have any characters", () => {
  expect(hasSignal("Done. <promise>ALL (3) DONE</promise>", "ALL (3) DONE")).toBe(true);
  expect(hasSignal("Done. <promise>COMPLETE</promise>", "<promise>COMPLETE</promise>")).toBe(true);
  expect(hasSignal("It is `<promise>COMPLETE</promise>`", "<promise>COMPLETE</promise>")).toBe(false);
  expect(hasSignal("$& (.*) \\d", "$& (.*) \\d")).toBe(true);
  expect(hasSignal("anything", "(.*)")).toBe(false);
  expect(hasSignal("\n\n", " ")).toBe(false);
});

test("whatever stands in a code block or a quotation, it is not the signal", () => {
  const inner = fc.array(fc.constantFrom("COMPLETE", "<promise>COMPLETE</promise>", "", "text", "> x", "    y"));
  fc.assert(
    fc.property(inner, fc.boolean(), (lines, quoted) => {
      const text = quoted ? lines.map((line) => `> ${line}`).join("\n") : `~~~\n${lines.join("\n")}\n~~~`;
      expect(hasSignal(`Look:\n\n${text}\n\nMore to do.`, "COMPLETE")).toBe(false);
    }),
  );
});

test("a line of its own counts after any prose that does not announce it", () => {
  const prose = fc.array(fc.constantFrom("Fixed the parser.", "Tests pass.", "", "- one", "# Summary"));
  fc.assert(fc.property(prose, (lines) => expect(hasSignal([...lines, "COMPLETE"].join("\n"), "COMPLETE")).toBe(true)));
});

test("a long message of near misses is read in no time", () => {
  const text = `${"<a".repeat(50_000)}\n${"<promise>COMPLETE ".repeat(20_000)}\n${"`".repeat(50_000)}\n${" ".repeat(50_000)}x`;
  expect(hasSignal(text, "COMPLETE")).toBe(false);
});
