// What Tab does to a word: values with spaces, and what is never offered.
import { describe, expect, test } from "bun:test";
import { splitWords } from "@atomic/terminal/shell-words";
import { reduce, type Step } from "../../src/prompt/line/reducer.ts";
import { emptyState, type PromptState, type PromptWorld } from "../../src/prompt/line/state.ts";
import { catalogOf } from "../../src/prompt/line/suggestions.ts";
import { effectsOf, entry, inputs, shown } from "./world.ts";

const own = { kind: "own" } as const;
const world: PromptWorld = {
  catalog: catalogOf([
    entry("fil", "<file> [note]"),
    entry("flow", "<file>", { kind: "workflow" }),
    entry("show", "[run] [node]", own),
    entry("approve", "<run> [value]", own),
    entry("which", "<name>", own),
    entry("lint", "[path]", own),
    entry("ship", "<version>"),
    entry("share", "", { kind: "agent" }),
  ]),
  history: [],
};

function press(from: PromptState, ...keys: readonly string[]): Step {
  let state = from;
  const effects: Step["effects"][number][] = [];
  for (const key of inputs(...keys)) {
    const step = reduce(state, key, world);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

/** Typed, then Tab with these files, then these keys. */
function offer(text: string, values: readonly string[], ...keys: readonly string[]): PromptState {
  const { state } = press(emptyState, `paste:${text}`);
  return press(reduce(state, { kind: "offer", for: state, values }, world).state, ...keys).state;
}

const both = ["my file.txt", "myother.txt"];

describe("a name with spaces", () => {
  test.each<readonly [string, readonly string[], readonly string[], string]>([
    ["/fil my", both, [], "/fil my|"],
    ["fix my", both, [], "fix my|"],
    ["/fil my", both, ["Enter"], '/fil "my file.txt" |'],
    ["/fil my", both, ["Down", "Enter"], "/fil myother.txt |"],
    ["fix my", both, ["Enter"], 'fix "my file.txt" |'],
    ["/flow my", ["my file.txt"], [], '/flow "my file.txt" |'],
    ['/flow "my', ["my file.txt"], [], '/flow "my file.txt" |'],
    ["/flow 'my", ["my file.txt"], [], "/flow 'my file.txt' |"],
    ["/flow my\\ f", ["my file.txt"], [], '/flow "my file.txt" |'],
    ["see @my", ["@my file.txt"], [], 'see @"my file.txt" |'],
    ['see @"my', ["@my file.txt"], [], 'see @"my file.txt" |'],
    ["fix m", ["my file", "my folder/"], [], 'fix "my f|'],
    ["fix m", ["my file", "my folder/"], ["o", "Tab"], 'fix "my folder/"|'],
    ['fix "my folder/"', ["my folder/a b"], [], 'fix "my folder/a b" |'],
    ["fix my", ["my folder/"], [], 'fix "my folder/"|'],
  ])("%j with %j and %j is %j", (text, values, keys, line) => {
    expect(shown(offer(text, values, ...keys))).toBe(line);
  });

  test("closes the quote that is already behind the cursor", () => {
    const { state } = press(emptyState, 'paste:fix "my"', "Left");
    expect(shown(reduce(state, { kind: "offer", for: state, values: both.slice(0, 1) }, world).state)).toBe(
      'fix "my file.txt" |',
    );
  });

  test("is listed beside the others, and what is typed further narrows the list", () => {
    expect(offer("fix my", both).mode).toMatchObject({ kind: "completing", matches: both });
    expect(offer("fix my", both, "o").mode).toMatchObject({ matches: ["myother.txt"] });
    expect(offer('fix "my', both, " f").mode).toMatchObject({ matches: ["my file.txt"] });
  });

  test("that cannot be written as one word is listed, and no other one is inserted for it", () => {
    const odd = `my "odd" o'ne`;
    const listed = offer("fix my", [odd]);
    expect(listed).toMatchObject({ text: "fix my", mode: { kind: "completing", matches: [odd] } });
    expect(offer("fix my", [odd, "myother.txt"])).toMatchObject({ text: "fix my", mode: { matches: [odd, both[1]] } });
    expect(press(listed, "Enter").state).toMatchObject({
      text: "fix my",
      notice: `${odd} cannot be quoted here, so it was not inserted.`,
    });
    // Where we split the words ourselves, there is a way.
    const { text } = offer("/flow my", [odd]);
    expect(splitWords(text)).toEqual(["/flow", odd]);
  });

  test("counts as one argument", () => {
    expect(effectsOf(press(emptyState, 'paste:/show "a b" x', "Tab"))).toEqual(["complete node of a b"]);
  });

  test("a quote that begins a sentence does not hide the word at its end", () => {
    expect(shown(offer('say "look at my', ["myother.txt"]))).toBe('say "look at myother.txt |');
    expect(shown(offer('say "look at my', ["my file.txt"]))).toBe(`say "look at 'my file.txt' |`);
    expect(offer('say "look at ', both).notice).toBe("Nothing to complete here.");
  });

  test("what is looked up has no quotes", () => {
    const wordFor = (line: string): unknown => press(emptyState, `paste:${line}`, "Tab").effects;
    expect(wordFor('/fil "my f')).toMatchObject([{ kind: "complete", word: "my f" }]);
    expect(wordFor('see @"my f')).toMatchObject([{ kind: "complete", word: "@my f" }]);
    expect(wordFor("/fil my\\ f")).toMatchObject([{ kind: "complete", word: "my f" }]);
  });
});

describe("a command of atomic itself", () => {
  test.each([
    ["/show wide-raven ", ["complete node of wide-raven"]],
    ["/show --full wide-raven b", ["complete node of wide-raven"]],
    ["/show wide", ["complete run"]],
    ["/approve wide", ["complete open run"]],
    ["/lint s", ["complete file"]],
    ["/fil a ", ["complete file"]],
  ])("at %j asks for %j", (line, effects) => {
    expect(effectsOf(press(emptyState, `paste:${line}`, "Tab"))).toEqual(effects);
  });

  test("offers nothing where nothing is known", () => {
    const { state, effects } = press(emptyState, "paste:/approve wide-raven R", "Tab");
    expect(effects).toEqual([]);
    expect(state.notice).toBe("Nothing to complete here.");
  });

  test("completes names, without those of its own commands", () => {
    const { state } = press(emptyState, "paste:/which sh", "Tab");
    expect(state.mode).toMatchObject({ kind: "completing", matches: ["share", "ship"] });
    expect(press(emptyState, "paste:/which shi", "Tab").state.text).toBe("/which ship ");
  });
});

test("in the middle of a text only what the host reads is suggested", () => {
  const readByHost: PromptWorld["readByHost"] = (entries) => entries.filter(({ name }) => name === "share");
  const suggested = (text: string, of: PromptWorld): readonly string[] => {
    const { mode } = reduce(emptyState, { kind: "text", text }, of).state;
    return mode.kind === "suggesting" ? mode.matches.map(({ name }) => name) : [];
  };
  expect(suggested("hello /sh", { ...world, readByHost })).toEqual(["share"]);
  expect(suggested("hello /sho", { ...world, readByHost })).toEqual([]);
  expect(suggested("/sh", { ...world, readByHost })).toEqual(["share", "ship", "show"]);
});
