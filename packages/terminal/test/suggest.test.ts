import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { didYouMean, formatNotFound } from "../src/suggest.ts";

const commands = ["commit", "compact", "clear", "create-spec", "create-gh-pr", "help", "model", "resume", "review"];

/** The definition, without any thought for speed. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const cost = a.at(-1) === b.at(-1) ? 0 : 1;
  const steps = [
    distance(a.slice(0, -1), b) + 1,
    distance(a, b.slice(0, -1)) + 1,
    distance(a.slice(0, -1), b.slice(0, -1)) + cost,
  ];
  if (a.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)) {
    steps.push(distance(a.slice(0, -2), b.slice(0, -2)) + 1);
  }
  return Math.min(...steps);
}

describe("did you mean", () => {
  test.each([
    ["comit", ["commit"]],
    ["commmit", ["commit"]],
    ["cimmit", ["commit"]],
    ["ocmmit", ["commit"]],
    ["COMMIT", ["commit"]],
    ["hlep", ["help"]],
    ["modle", ["model"]],
    ["resme", ["resume"]],
    ["com", ["commit", "compact"]],
    ["create", ["create-spec", "create-gh-pr"]],
    ["create-sepc", ["create-spec"]],
    ["revie", ["review"]],
    ["crate-gh-rp", ["create-gh-pr"]],
    ["zzzzzz", []],
    ["x", []],
    ["", []],
  ])("%j: %j", (typed, expected) => {
    expect(didYouMean(typed, commands)).toEqual(expected);
  });

  test("fewer errors come first, then more letters in common at the start, then the given order", () => {
    expect(didYouMean("revew", ["renew", "review"])).toEqual(["review", "renew"]);
    expect(didYouMean("test", ["rest", "tent", "tess"])).toEqual(["tess", "tent", "rest"]);
    expect(didYouMean("lost", ["cost", "most", "post"])).toEqual(["cost", "most", "post"]);
  });

  test("a continuation beats a typing error", () => {
    expect(didYouMean("comp", ["comb", "compact"])[0]).toBe("compact");
  });

  test("if nothing else is near, a name that begins the same may have one error more", () => {
    expect(didYouMean("ralf", ["research", "ralph"])).toEqual(["ralph"]);
    expect(didYouMean("ralf", ["ralph", "half"])).toEqual(["half"]);
  });

  test("a swap of neighbours is one error, not two", () => {
    expect(didYouMean("abdc", ["abcd"])).toEqual(["abcd"]);
    expect(didYouMean("badc", ["abcd"])).toEqual([]);
  });

  test("shows three at most, each once, as they are written", () => {
    expect(didYouMean("ab", ["abA", "abB", "abA", "abC", "abD"])).toEqual(["abA", "abB", "abC"]);
  });

  test("a name that is not an English word", () => {
    expect(didYouMean("検素", ["検索", "編集"])).toEqual(["検索"]);
    expect(didYouMean("constructo", ["constructor", "toString"])).toEqual(["constructor"]);
  });

  test("ten thousand candidates, and a name of a megabyte", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `command-number-${i}`);
    expect(didYouMean("comand-number-4711", many)[0]).toBe("command-number-4711");
    expect(didYouMean("x".repeat(1_000_000), [...many, "y".repeat(1_000_000)])).toEqual([]);
  });

  test("one wrong letter in five or more is always found", () => {
    const name = fc.stringMatching(/^[a-z]{5,12}$/);
    const edits = fc.constantFrom<(name: string, at: number) => string>(
      (name, at) => name.slice(0, at) + name.slice(at + 1),
      (name, at) => `${name.slice(0, at)}q${name.slice(at)}`,
      (name, at) => `${name.slice(0, at)}q${name.slice(at + 1)}`,
      (name, at) => name.slice(0, at) + (name[at + 1] ?? "") + (name[at] ?? "") + name.slice(at + 2),
    );
    fc.assert(
      fc.property(name, edits, fc.nat(), (name, edit, position) => {
        expect(didYouMean(edit(name, position % name.length), [name])).toEqual([name]);
      }),
      { numRuns: 3_000 },
    );
  });

  test("finds exactly those within the number of errors that a name of its length may have", () => {
    const letters = fc.stringMatching(/^[abc]{2,6}$/);
    fc.assert(
      fc.property(letters, letters, (typed, candidate) => {
        const limit = Math.min(3, Math.max(1, Math.floor(typed.length / 3)));
        const isBegunAlike = typed.length >= 3 && candidate.startsWith(typed.slice(0, 3));
        const isNear = distance(typed, candidate) <= limit + (isBegunAlike ? 1 : 0) || candidate.startsWith(typed);
        expect(didYouMean(typed, [candidate])).toEqual(isNear ? [candidate] : []);
      }),
      { numRuns: 1_000 },
    );
  });

  test("never suggests what was not offered", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (typed, candidates) => {
        for (const suggestion of didYouMean(typed, candidates)) expect(candidates).toContain(suggestion);
      }),
    );
  });
});

describe("not found", () => {
  test.each([
    ["Skill", "comit", 'Skill not found: "comit" (did you mean "commit"?)'],
    ["Agent", "nothing-like-it", 'Agent not found: "nothing-like-it"'],
    ["Command", "he\x1b[31mlp", 'Command not found: "he\\x1b[31mlp"'],
    ["Command", "a\nb", 'Command not found: "a\\nb"'],
  ])("%s %j", (what, name, expected) => {
    expect(formatNotFound(what, name, commands)).toBe(expected);
  });

  test.each([
    ["x".repeat(80), "x".repeat(80)],
    ["x".repeat(81), `${"x".repeat(80)}…`],
    ["👩".repeat(80), "👩".repeat(80)],
    ["👩".repeat(1_000), `${"👩".repeat(80)}…`],
  ])("shows no more than eighty characters of %j", (name, shown) => {
    expect(formatNotFound("Skill", name, [])).toBe(`Skill not found: "${shown}"`);
  });

  test("a suggestion is not shortened", () => {
    const long = "x".repeat(90);
    expect(formatNotFound("Skill", `${long}y`, [long])).toEndWith(`(did you mean "${long}"?)`);
  });

  test("a suggestion cannot play tricks on the terminal either", () => {
    expect(formatNotFound("Skill", "commi", ["commit\u202e"])).toBe(
      'Skill not found: "commi" (did you mean "commit\\u{202e}"?)',
    );
  });
});
