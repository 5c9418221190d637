import { describe, expect, test } from "bun:test";
import { reduce } from "../../src/prompt/line/reducer.ts";
import { emptyState } from "../../src/prompt/line/state.ts";
import { effectsOf, inputs, press, shown, typed, world } from "./world.ts";

/** The names of the design for the four states. */
const states = {
  IDLE: "idle",
  SHOWING_SUGGESTIONS: "suggesting",
  SHOWING_HINT: "hint",
  TYPING_ARGS: "arguments",
} as const;

// Every row of the design's state table. `corrected` says where users of other tools taught us better.
describe("the state table", () => {
  test.each<
    readonly [
      from: keyof typeof states,
      before: string,
      does: string,
      keys: readonly string[],
      to: keyof typeof states,
      text: string,
      effects: readonly string[],
      corrected: string,
    ]
  >([
    ["IDLE", "", 'types "/"', ["/"], "SHOWING_SUGGESTIONS", "/|", [], ""],
    ["SHOWING_SUGGESTIONS", "/", "types more letters", ["com"], "SHOWING_SUGGESTIONS", "/com|", [], ""],
    ["SHOWING_SUGGESTIONS", "/com", "presses Tab", ["Tab"], "SHOWING_HINT", "/commit |", [], ""],
    ["SHOWING_SUGGESTIONS", "/com", "presses Enter", ["Enter"], "IDLE", "|", ["run /commit"], ""],
    [
      "SHOWING_SUGGESTIONS",
      "/exp",
      "presses Enter",
      ["Enter"],
      "SHOWING_HINT",
      "/explain-code |",
      [],
      "a command that needs arguments is inserted, not executed",
    ],
    ["SHOWING_SUGGESTIONS", "/commit", "presses Space", [" "], "SHOWING_HINT", "/commit |", [], ""],
    [
      "SHOWING_SUGGESTIONS",
      "/clear",
      "presses Space",
      [" "],
      "IDLE",
      "/clear |",
      [],
      "a command without arguments has no hint to show",
    ],
    ["SHOWING_HINT", "/commit ", "types any character", ["f"], "TYPING_ARGS", "/commit f|", [], ""],
    ["SHOWING_HINT", "/commit ", "presses Enter", ["Enter"], "IDLE", "|", ["run /commit"], ""],
    [
      "SHOWING_HINT",
      "/commit ",
      "presses Escape",
      ["Escape"],
      "IDLE",
      "/commit |",
      [],
      "the hint stays closed until the command changes",
    ],
    ["TYPING_ARGS", "/commit f", "backspaces to just the command", ["Backspace"], "SHOWING_HINT", "/commit |", [], ""],
    ["TYPING_ARGS", "/commit fix it", "presses Enter", ["Enter"], "IDLE", "|", ["run /commit fix it"], ""],
  ])("%s, %j: the user %s", (from, before, _does, keys, to, text, effects, _corrected) => {
    const start = typed(before);
    expect(start.state.mode.kind).toBe(states[from]);
    const step = press(start.state, ...inputs(...keys));
    expect({ mode: step.state.mode.kind, text: shown(step.state), effects: effectsOf(step) }).toEqual({
      mode: states[to],
      text,
      effects,
    });
  });

  test.each([
    ["/commit", "Tab", "/commit ", "[message] | --amend"],
    ["/commit ", "f", "/commit f", undefined],
    ["/commit f", "Backspace", "/commit ", "[message] | --amend"],
    ["/tidy", " ", "/tidy ", undefined],
    ["/nothing", " ", "/nothing ", undefined],
    ["/explain", " ", "/explain ", "<file-path> [function-name]"],
  ])("%j and %j show %j with the hint %j", (before, key, text, hint) => {
    const { state } = press(typed(before).state, ...inputs(key));
    expect({ text: state.text, hint: state.mode.kind === "hint" ? state.mode.hint : undefined }).toEqual({
      text,
      hint,
    });
  });
});

const rights = (count: number): readonly string[] => Array.from({ length: count }, () => "Right");

function matches(...keys: readonly string[]): readonly string[] | undefined {
  const { mode } = typed(...keys).state;
  if (mode.kind === "suggesting") return mode.matches.map(({ name }, at) => (at === mode.selected ? `>${name}` : name));
  return mode.kind === "completing"
    ? mode.matches.map((each, at) => (at === mode.selected ? `>${each}` : each))
    : undefined;
}

describe("suggestions", () => {
  test.each<readonly [readonly string[], readonly string[] | undefined]>([
    [["/com"], [">commit", "compact"]],
    [
      ["/com", "Down"],
      ["commit", ">compact"],
    ],
    [
      ["/com", "Down", "Down"],
      [">commit", "compact"],
    ],
    [
      ["/com", "Up"],
      ["commit", ">compact"],
    ],
    [["/zzz"], undefined],
    [["//"], undefined],
    [["look at /com"], ["commit", "compact"]],
    [
      ["look at /com", "Down"],
      [">commit", "compact"],
    ],
    [["look at /"], undefined],
    [["see http://com"], undefined],
    [["/com", "Escape"], undefined],
    [["/com", "Escape", "Left", "Right"], undefined],
    [["/com", "Escape", "m"], [">commit"]],
    [
      ["/com", "Escape", "m", "Backspace"],
      [">commit", "compact"],
    ],
  ])("after %j are %j", (keys, expected) => expect(matches(...keys)).toEqual(expected));

  test.each<readonly [string, readonly string[], string, readonly string[]]>([
    ["Tab inserts what can be executed, too", ["/cle", "Tab"], "/clear |", []],
    ["Tab inserts the chosen one", ["/com", "Down", "Tab"], "/compact |", []],
    ["Enter executes the chosen one", ["/com", "Down", "Enter"], "|", ["run /compact"]],
    [
      "Enter keeps arguments that are there",
      ["/com fix", "Home", "Right", "Right", "Right", "Right", "Enter"],
      "|",
      ["run /commit fix"],
    ],
    ["a slash alone executes nothing", ["/", "Enter"], "/|", []],
    ["a slash and an arrow execute the chosen one", ["/", "Down", "Enter"], "|", ["run /clear"]],
    [
      "Enter executes a line whose arguments are there",
      ["/mod x", "Home", ...rights(4), "Enter"],
      "|",
      ["run /model x"],
    ],
    ["the first one can be chosen, too", ["/", "Down", "Up", "Enter"], "|", ["run /answer"]],
    ["so can the first one that has only the letters", ["/cm", "Down", "Up", "Enter"], "|", ["run /commit"]],
    [
      "what was chosen replaces the whole word",
      ["/comzz", "Left", "Left", "Down", "Up", "Enter"],
      "|",
      ["run /commit"],
    ],
    ["options alone are not needed", ["/ral", "Enter"], "|", ["run /ralph"]],
    ["one of several words is needed", ["/mod", "Enter"], "/model |", []],
    ["in the middle of a line Tab inserts", ["see /com", "Tab"], "see /commit |", []],
    ["in the middle of a line Enter enters the line", ["see /com", "Enter"], "|", ["send see /com"]],
    ["in the middle of a line Enter inserts the chosen one", ["see /com", "Down", "Enter"], "see /commit |", []],
    ["an alias is a name", ["/explain x", "Enter"], "|", ["run /explain-code x"]],
  ])("%s", (_title, keys, text, effects) => {
    const step = typed(...keys);
    expect({ text: shown(step.state), effects: effectsOf(step) }).toEqual({ text, effects });
  });

  test.each([
    ["/comit", "There is no /comit. Did you mean /commit? To send text that starts with a slash, begin with a space."],
    ["/zzz a", "There is no /zzz. To send text that starts with a slash, begin with a space."],
  ])("%j is refused, and stays to be corrected", (line, notice) => {
    const step = press(typed(line, "Escape").state, ...inputs("Enter"));
    expect(effectsOf(step)).toEqual(["unknown"]);
    expect(step.state).toMatchObject({ text: line, notice });
    expect(press(step.state, ...inputs("x")).state.notice).toBeUndefined();
  });

  test.each([
    ["/clr", "There is no /clr. Did you mean /clear? Tab inserts it."],
    ["/idy", "There is no /idy. Did you mean /tidy? Tab inserts it."],
  ])("%j is not executed as the name that has its letters", (line, notice) => {
    const step = typed(line, "Enter");
    expect(effectsOf(step)).toEqual(["unknown"]);
    expect(step.state).toMatchObject({ text: line, notice });
    expect(press(step.state, ...inputs("Tab")).state.text).toBe(`/${notice.split("/")[2]?.split("?")[0]} `);
  });

  test.each([
    [["/code", "Tab"], "/explain-code |", []],
    [["/cm", "Down", "Enter"], "|", ["run /compact"]],
    [["/cle", "Enter"], "|", ["run /clear"]],
  ])("%j is what was chosen", (keys, text, effects) => {
    const step = typed(...keys);
    expect({ text: shown(step.state), effects: effectsOf(step) }).toEqual({ text, effects });
  });

  test("a space makes text of a slash", () => {
    expect(effectsOf(typed(" /zzz is broken", "Enter"))).toEqual(["send /zzz is broken"]);
    // Recalled, it is text again.
    expect(typed(" /commit is broken", "Enter").effects).toMatchObject([{ kind: "send", line: " /commit is broken" }]);
    expect(typed("  hello", "Enter").effects).toMatchObject([{ kind: "send", line: "hello" }]);
  });

  test("a catalog that arrives later is used at once, and keeps what was chosen", () => {
    const none = { ...world, catalog: { entries: [], find: () => undefined } };
    let { state } = reduce(emptyState, { kind: "text", text: "/com" }, none);
    expect(state.mode.kind).toBe("idle");
    state = reduce(state, { kind: "world" }, world).state;
    expect(state.mode.kind).toBe("suggesting");
    state = press(state, ...inputs("Down")).state;
    expect(reduce(state, { kind: "world" }, world).state.mode).toMatchObject({ selected: 1 });
  });
});

describe("values", () => {
  const offer = (text: string, values: readonly string[], ...keys: readonly string[]) => {
    const { state } = typed(text);
    const next = reduce(state, { kind: "offer", for: state, values }, world).state;
    return press(next, ...inputs(...keys));
  };

  test("what cannot be typed is not offered, and not inserted", () => {
    const hostile = ["e\x1b]52;c;eA==\x07.txt", "e\u202egpj.exe", "e\x9b31m"];
    expect(offer("see e", hostile).state).toMatchObject({ text: "see e", notice: "Nothing to complete here." });
    expect(offer("see e", [...hostile, "easy.txt"]).state.text).toBe("see easy.txt ");
    const { mode } = offer("see e", [...hostile, "a", "ea", "eb"]).state;
    expect(mode).toMatchObject({ kind: "completing", values: ["a", "ea", "eb"], matches: ["ea", "eb"] });
  });

  test.each<readonly [string, readonly string[]]>([
    ["/explain-code src", ["complete file"]],
    ["/explain-code ", ["complete file"]],
    ["/ralph --resume ", ["complete run"]],
    ["/answer ", ["complete open run"]],
    ["/model ", ["complete model"]],
    ["/model list ", ["complete provider"]],
    ["/model sel", ["complete model"]],
    ["/clear x", []],
    ["what is src/a", ["complete file"]],
    ["what is ", []],
  ])("for %j Tab asks for %j", (text, effects) => {
    const before = typed(text).state;
    expect(effectsOf(press(before, ...inputs("Tab")))).toEqual([...effects]);
  });

  test.each([
    ["one is inserted", "/explain-code s", ["src/", "test/"], [], "/explain-code src/|"],
    ["one that is not a folder gets a space", "/explain-code a", ["a.ts"], [], "/explain-code a.ts |"],
    [
      "of several, the common part is inserted",
      "/ralph --resume c",
      ["calm-otter", "calm-ivy"],
      [],
      "/ralph --resume calm-|",
    ],
    ["the chosen one is inserted by Enter", "/model ", ["a/x", "b/y"], ["Down", "Enter"], "/model b/y |"],
    ["typing narrows the list", "/model ", ["a/x", "b/y", "b/z"], ["b/z", "Tab"], "/model b/z|"],
    ["Escape closes the list", "/model ", ["a/x", "b/y"], ["Escape", "Enter"], "|"],
    ["nothing fits", "/model q", ["a/x"], [], "/model q|"],
  ])("%s", (_title, text, values, keys, expected) => {
    expect(shown(offer(text, values, ...keys).state)).toBe(expected);
  });

  test("an offer for a line that has changed since is ignored", () => {
    const { state } = typed("/model a");
    expect(reduce(state, { kind: "offer", for: { text: "/model ", cursor: 7 }, values: ["a/x"] }, world).state).toBe(
      state,
    );
  });

  test("words of the hint are completed without an offer", () => {
    expect(shown(typed("/ralph --max", "Tab").state)).toBe("/ralph --max-iterations |");
  });
});

describe("editing", () => {
  test.each<readonly [readonly string[], string]>([
    [["hello", "Left", "Left", "x"], "helx|lo"],
    [["one two", "Ctrl-W"], "one |"],
    [["one two", "Alt-B", "x"], "one x|two"],
    [["one two", "Home", "Alt-F"], "one| two"],
    [["one two", "Ctrl-A", "Ctrl-K"], "|"],
    [["one two", "Ctrl-U", "Ctrl-Y", "Ctrl-Y"], "one twoone two|"],
    [["a👩‍👩‍👧b", "Left", "Backspace"], "a|b"],
    [["日本語", "Left", "Delete"], "日本|"],
    [["e\u0301a", "Left", "Left"], "|e\u0301a"],
    [["a", "Ctrl-J", "b"], "a\nb|"],
    [["a\\", "Enter", "b"], "a\nb|"],
    [["a", "Shift-Enter", "b"], "a\nb|"],
    [["ab", "Ctrl-J", "cdef", "Up"], "ab|\ncdef"],
    [["abc", "Ctrl-J", "d", "Up", "Down"], "abc\nd|"],
    [["paste:one\ntwo", "x"], "one\ntwox|"],
    [["x", "Ctrl-C"], "|"],
    [["x", "Ctrl-C", "Ctrl-Y"], "x|"],
    [["ab", "Home", "Ctrl-D"], "|b"],
  ])("%j gives %j", (keys, expected) => expect(shown(typed(...keys).state)).toBe(expected));

  test.each<readonly [readonly string[], readonly string[]]>([
    [["Ctrl-D"], ["exit"]],
    [["Ctrl-C"], []],
    [["Ctrl-C", "Ctrl-C"], ["exit"]],
    [["Ctrl-C", "Left", "Ctrl-C"], []],
    [["x", "Ctrl-C", "Ctrl-C"], []],
    [["x", "Ctrl-C", "Ctrl-C", "Ctrl-C"], ["exit"]],
    [["Ctrl-L"], ["redraw"]],
    [["Ctrl-Z"], ["suspend"]],
    [["Ctrl-O"], ["expand"]],
    [["Enter"], []],
    [["  ", "Enter"], []],
    [["hello", "Enter"], ["send hello"]],
    [["paste:one\ntwo\n", "Enter"], ["send one\ntwo"]],
  ])("%j asks for %j", (keys, effects) => expect(effectsOf(typed(...keys))).toEqual(effects));
});

describe("the history", () => {
  test.each<readonly [readonly string[], string]>([
    [["draft", "Up"], "/commit fix the wörld|"],
    [["draft", "Up", "Up"], "what is 日本語?|"],
    [["draft", "Up", "Up", "Down", "Down"], "draft|"],
    [["draft", "Up", "Up", "Up", "Up", "Up", "Up"], "/explain|-code src/a.ts\nand more"],
    [["Ctrl-R", "wör"], "/commit fix the wörld|"],
    [["Ctrl-R", "i", "Ctrl-R"], "what is 日本語?|"],
    [["Ctrl-R", "i", "Ctrl-R", "Ctrl-S"], "/commit fix the wörld|"],
    [["draft", "Ctrl-R", "wör", "Ctrl-G"], "draft|"],
    [["draft", "Ctrl-R", "zzz"], "draft|"],
    [["Ctrl-R", "wör", "Escape", "x"], "/commit fix the wörldx|"],
    [["Ctrl-R", "wörx", "Backspace"], "/commit fix the wörld|"],
  ])("%j shows %j", (keys, expected) => expect(shown(typed(...keys).state)).toBe(expected));

  test("a line that was found is entered with Enter", () => {
    expect(effectsOf(typed("Ctrl-R", "wör", "Enter"))).toEqual(["run /commit fix the wörld"]);
    // The draft is not what was looked for.
    for (const query of ["zzz", ""]) {
      const step = typed("draft", "Ctrl-R", query, "Enter");
      expect({ text: shown(step.state), effects: effectsOf(step) }).toEqual({ text: "draft|", effects: [] });
    }
  });
});

test.each([
  ["a command with its arguments", "/explain-code src", "run /explain-code src"],
  ["a name that begins like another", "/compact it", "run /compact it"],
])("Enter with the cursor in the name of %s enters the line", (_what, line, effect) => {
  const { state } = typed(line, "Home", "Right", "Right", "Right", "Right");
  expect(effectsOf(press(state, ...inputs("Enter")))).toEqual([effect]);
});

test("a name that does not exist is not replaced by what fits its beginning", () => {
  const { state } = typed("/compromise it", "Home", "Right", "Right", "Right", "Right");
  const step = press(state, ...inputs("Enter"));
  expect(effectsOf(step).filter((effect) => effect.startsWith("run"))).toEqual([]);
  expect(step.state.text).toBe("/compromise it");
});

test("the arrows pass a line of a text that could be a command", () => {
  const { state } = typed("paste:first\nx /co\nthird", "Up", "Up");
  expect(shown(state)).toBe("first|\nx /co\nthird");
  expect(shown(press(state, ...inputs("Down", "Down")).state)).toBe("first\nx /co\nthird|");
});
