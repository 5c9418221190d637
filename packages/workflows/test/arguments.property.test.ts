import { describe, expect, test } from "bun:test";
import { growth } from "@atomic/testing/growth";
import fc from "fast-check";
import { findShellAndFileReferences } from "../src/entities/arguments/references.ts";
import { expandArguments, findWantedArguments } from "../src/entities/arguments.ts";
import type { Provider } from "../src/entities/entity.ts";

const providers: readonly Provider[] = ["claude", "opencode", "copilot", "atomic", "agent-skills", "hugo"];
const provider = fc.constantFrom(...providers);

const mark = fc.constantFrom(
  "$",
  "$&",
  "$1",
  "$0",
  "$ARGUMENTS",
  "$ARGUMENTS[0]",
  "$$",
  "$`",
  "$'",
  "`",
  "\\",
  '"',
  "'",
);
const other = fc.constantFrom(
  " ",
  "\n",
  "a",
  "b1",
  ";",
  "#",
  "(",
  ")",
  "{",
  "}",
  "<",
  ">",
  "|",
  "&",
  "=",
  "[",
  "é",
  "😀",
);
const text = fc.oneof(
  fc.array(fc.oneof(mark, other), { maxLength: 20 }).map((parts) => parts.join("")),
  fc.string(),
);
/** Claude Code disarms what might become a command; everything else stays as it is. */
const withoutBang = text.map((value) => value.replaceAll("!", ""));

describe("for any input", () => {
  test("$ARGUMENTS is the input, byte for byte", () => {
    fc.assert(
      fc.property(withoutBang, provider, (input, provider) => {
        const isRaw = provider === "opencode" || provider === "hugo";
        const expected = `<${isRaw ? input : input.trim()}|>`;
        expect(expandArguments("<$ARGUMENTS|>", input, { provider })).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  test("a body without placeholders stays unchanged, and the input follows as typed", () => {
    fc.assert(
      fc.property(withoutBang, provider, (input, provider) => {
        const expanded = expandArguments("body", input, { provider });
        expect(expanded).toStartWith("body");
        expect(expanded.trimEnd()).toEndWith(input.trim() === "" ? "body" : input.trim());
      }),
      { numRuns: 5_000 },
    );
  });

  test("text that was filled in is never expanded again", () => {
    fc.assert(
      fc.property(withoutBang, provider, (input, provider) => {
        const first = provider === "opencode" || provider === "hugo" ? 1 : 0;
        const options = { provider, names: ["ARGUMENTS", "x"] };
        const filled = expandArguments(`<$${first}|$x>`, input, options);
        const inside = filled.slice(1, filled.lastIndexOf("|"));
        // Whatever comes out was typed: quotes and backslashes may be gone, but nothing is new.
        const letters = [...inside.replace(`$${first}`, "")].filter((char) => /[\p{L}\p{N}]/u.test(char));
        const typed = [...input];
        for (const letter of letters) {
          const at = typed.indexOf(letter);
          expect(at).not.toBe(-1);
          typed.splice(at, 1);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  test("plain words are the same words everywhere", () => {
    const plainWord = fc.stringMatching(/^[a-z]{1,6}$/).filter((value) => !shellWords.has(value));
    fc.assert(
      fc.property(fc.array(plainWord, { minLength: 3, maxLength: 6 }), provider, (words, provider) => {
        const first = provider === "opencode" || provider === "hugo" ? 1 : 0;
        // The placeholder behind keeps OpenCode from putting the rest into the third.
        const body = `$${first},$${first + 1},$${first + 2},$${first + 9}`;
        const [a, b, c] = words;
        expect(expandArguments(body, words.join(" "), { provider })).toStartWith(`${a},${b},${c},`);
      }),
    );
  });

  test("wanted positions are those whose words show up", () => {
    fc.assert(
      fc.property(text, provider, (body, provider) => {
        // OpenCode's $0 names no word, and yet it may print the last one.
        fc.pre(!body.includes("$0") || !["opencode", "hugo"].includes(provider));
        // A missing `$2` between two of them would look like the word.
        fc.pre(!body.includes("Q"));
        const { positions, all } = findWantedArguments(body, { provider });
        const expanded = expandArguments(body, "QQ", { provider });
        const isUsed = all || positions.includes(0);
        const isAppended = /(?:ARGUMENTS: |\n\n|^)QQ$/.test(expanded);
        expect(expanded.includes("QQ")).toBe(isUsed || isAppended);
        if (isUsed) expect(expanded).toContain("QQ");
      }),
      { numRuns: 3_000 },
    );
  });
});

const shellWords = new Set(
  "if while until do done then else elif fi esac for select function case export declare local readonly typeset in".split(
    " ",
  ),
);

describe("for any body and any names", () => {
  test("expansion always gives a result", () => {
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 4 }), provider, (body, input, names, provider) => {
        expect(typeof expandArguments(body, input, { provider, names })).toBe("string");
      }),
      { numRuns: 5_000 },
    );
  });

  test("references are in order, at the offsets they report", () => {
    const part = fc.oneof(text, fc.constantFrom("!`a b`", "@x/y.md", '@"a b"', "```!\n", "```", "@", "!`"));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const body = parts.join("");
        const references = findShellAndFileReferences(body);
        let last = 0;
        for (const reference of references) {
          expect(reference.start).toBeGreaterThanOrEqual(last);
          last = reference.start;
          expect(reference.end).toBeLessThanOrEqual(body.length);
          expect(body.slice(reference.start, reference.end)).toContain(reference.text);
          expect(reference.text).not.toBe("");
        }
        const shell = references.filter(({ kind }) => kind === "shell").map(({ text }) => text);
        // As OpenCode looks for it.
        for (const [, command = ""] of body.matchAll(/!`([^`]+)`/g)) {
          if (command.trim() !== "") expect(shell).toContain(command.trim());
        }
      }),
      // The command behind a placeholder ends where the next one begins.
      { numRuns: 3_000, examples: [[["!", "$`", "!`a b`"]]] },
    );
  });
});

describe("the worst long inputs take linear time", () => {
  const worst = [
    '"',
    "'",
    "\\",
    "$",
    "$(",
    "${",
    "`",
    "(",
    "{",
    "$0",
    "$ARGUMENTS",
    "!`",
    "`!",
    "@",
    "a ",
    "[",
    "<<<",
    "x=",
    '"$(',
  ];
  test.each(worst)("%s", (unit) => {
    const read = (size: number): void => {
      const long = unit.repeat(size / unit.length);
      for (const provider of providers) {
        expandArguments(long, "a b", { provider, names: ["a", "b"] });
        expandArguments("$0 $1 $ARGUMENTS", long, { provider });
      }
      findShellAndFileReferences(long);
      findShellAndFileReferences(`@${".".repeat(size)}a ${long}`);
    };
    expect(growth(20_000, read)).toBeLessThan(1.5);
  });
});
