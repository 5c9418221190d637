import { expect, test } from "bun:test";
import fc from "fast-check";
import { shellLine, splitWords } from "../src/shell-words.ts";

test.each([
  ["", []],
  ["  one  two ", ["one", "two"]],
  [`--note "two words" x`, ["--note", "two words", "x"]],
  [`--note="two words"`, ["--note=two words"]],
  [`'it is' "say \\"hi\\""`, ["it is", 'say "hi"']],
  ["don't do it", ["don't", "do", "it"]],
  [`an "open quote`, ["an", '"open', "quote"]],
  ["a\\ b", ["a b"]],
  [`""`, [""]],
  ["C:\\new \\d+ a\\\\b", ["C:\\new", "\\d+", "a\\b"]],
  [`"\\d+ \\"x\\""`, ['\\d+ "x"']],
  ["one 'two\nthree' four", ["one", "two\nthree", "four"]],
  ["one\n  - two 'q'\n--x \n", ["one", "\n  - two 'q'\n--x"]],
  ["one \n ", ["one"]],
  ["one\n-h is broken\n--x 2", ["one", "\n-h is broken\n--x 2"]],
  ["one\n--x 2\nand more", ["one", "\n--x 2\nand more"]],
  ["one\n--times 2\n  --dry-run\n", ["one", "--times", "2", "--dry-run"]],
  ["one \\\n  --times 2", ["one", "--times", "2"]],
  ["two\\\nhalves", ["twohalves"]],
  [`"first \\\nsecond" third`, ["first second", "third"]],
])("%j has the words %j", (line, words) => expect(splitWords(line)).toEqual(words));

test("words that were quoted for a shell come back", () => {
  const word = fc.string({ minLength: 1 }).filter((each) => !each.includes("'"));
  fc.assert(fc.property(fc.array(word), (words) => expect(splitWords(shellLine(words))).toEqual(words)));
});
