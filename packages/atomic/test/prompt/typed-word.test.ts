// Words with quotes, as they are read and as they are written.
import { describe, expect, test } from "bun:test";
import { splitWords } from "@atomic/terminal/shell-words";
import fc from "fast-check";
import { typedWords, writtenBeginning, writtenValue } from "../../src/prompt/line/typed-word.ts";

describe("the word before the cursor", () => {
  test.each<readonly [string, readonly (readonly [from: number, value: string])[]]>([
    ["", [[0, ""]]],
    ["fix ", [[4, ""]]],
    ["fix my", [[4, "my"]]],
    [
      'fix "my fi',
      [
        [4, "my fi"],
        [8, "fi"],
      ],
    ],
    [
      "fix 'my fi",
      [
        [4, "my fi"],
        [8, "fi"],
      ],
    ],
    ['fix "my file"', [[4, "my file"]]],
    ['fix "my folder/"fi', [[4, "my folder/fi"]]],
    ["fix my\\ fi", [[4, "my fi"]]],
    ["it's my", [[5, "my"]]],
    ['say "a" my', [[8, "my"]]],
    [
      '--file="my fi',
      [
        [0, "--file=my fi"],
        [11, "fi"],
      ],
    ],
    [
      `"it's 'my fi`,
      [
        [0, "it's 'my fi"],
        [6, "my fi"],
        [10, "fi"],
      ],
    ],
  ])("of %j is %j", (before, words) => {
    expect(typedWords({ before, isText: false }).map(({ from, value }) => [from, value] as const)).toEqual([...words]);
  });

  test("follows the @ of a mention in a text, and nowhere else", () => {
    const before = 'see @"my fi';
    expect(typedWords({ before, isText: true })[0]).toMatchObject({ from: 4, value: "@my fi" });
    expect(typedWords({ before, isText: false })).toHaveLength(1);
  });

  const piece = fc.constantFrom("a", "b", " ", "  ", '"', "'", "\\", "=", "@", "日");
  test("is the last word of the same line as it will be split", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const before = pieces.join("");
        const { from, value } = typedWords({ before, isText: false }).at(-1) ?? { from: -1, value: "" };
        const words = splitWords(before);
        // With nothing typed there is no word yet.
        const last = from === before.length ? [] : [value];
        expect(words).toEqual([...splitWords(before.slice(0, from)), ...last]);
      }),
      { numRuns: 5000 },
    );
  });
});

describe("a value", () => {
  const written = (before: string, value: string, isText = false): string | undefined => {
    const place = { before, isText };
    return writtenValue(place, typedWords(place)[0], value);
  };

  test.each([
    ["/fil my", "myother.txt", "myother.txt", "myother.txt"],
    ["/fil my", "my file.txt", '"my file.txt"', '"my file.txt"'],
    ["/fil 'my", "my file.txt", "'my file.txt'", "'my file.txt'"],
    ['/fil "my', "myother.txt", '"myother.txt"', '"myother.txt"'],
    ["/fil a", 'a "b" c', '"a \\"b\\" c"', "'a \"b\" c'"],
    ["/fil a", "a 'b' c", `"a 'b' c"`, `"a 'b' c"`],
    ["/fil 'a", "a 'b' c", `"a 'b' c"`, `"a 'b' c"`],
    ["/fil a", `a "b' c`, `"a \\"b' c"`, undefined],
    ["/fil a", "a\\", '"a\\\\"', "'a\\'"],
    ["/fil @a", "@a b", '"@a b"', '@"a b"'],
    ["/fil it", "it's", "it's", "it's"],
  ])("behind %j, %j is written %j, and %j in a text", (before, value, inWords, inText) => {
    expect(written(before, value)).toBe(inWords);
    expect(written(before, value, true)).toBe(inText as never);
  });

  test("is written so that it is read as this one word", () => {
    const odd = fc.array(fc.constantFrom("a", " ", '"', "'", "\\", "\n", "="), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(odd, fc.constantFrom("", '"', "'"), (letters, quote) => {
        const value = letters.join("");
        const typed = written(`x ${quote}`, value);
        expect(typed).toBeDefined();
        expect(splitWords(`x ${typed} y`)).toEqual(["x", value, "y"]);
      }),
      { numRuns: 3000 },
    );
  });

  test("has a beginning, whose quote is left open", () => {
    const beginning = (before: string, value: string): string | undefined => {
      const place = { before, isText: true };
      return writtenBeginning(place, typedWords(place)[0], value);
    };
    expect(beginning("fix m", "my")).toBe("my");
    expect(beginning("fix m", "my f")).toBe('"my f');
    expect(beginning("fix @m", "@my f")).toBe('@"my f');
    expect(beginning("fix 'm", "my")).toBe("'my");
  });
});
