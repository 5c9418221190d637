import { describe, expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import fc from "fast-check";
import { drawPrompt, enteredText } from "../../src/prompt/line/draw.ts";
import { reduce } from "../../src/prompt/line/reducer.ts";
import { emptyState } from "../../src/prompt/line/state.ts";
import { inputs, press, typed, world } from "./world.ts";

function drawn(columns: number, ...keys: readonly string[]): string[] {
  const { lines, cursor } = drawPrompt(typed(...keys).state, "  opencode", { columns, rows: 24, colour: false });
  const [row = "", ...rest] = lines.slice(cursor.row);
  expect(cursor.column).toBeLessThanOrEqual(columns);
  return [...lines.slice(0, cursor.row), row, ...rest];
}

test("an empty line shows what can be typed", () => {
  expect(drawn(60)).toEqual(["> Type a task, or / for commands", "  opencode"]);
});

test("a row of a suggestion has its name, hint and description; the hint adapts to the width", () => {
  expect(drawn(80, "/com")).toEqual([
    "> /com",
    "> /commit   [message] | --amend   About commit",
    "  /compact  [focus-instructions]  About compact",
  ]);
  expect(drawn(40, "/com")).toEqual(["> /com", "> /commit   [message] | --amend", "  /compact  [focus-instructions]"]);
  expect(drawn(28, "/com")).toEqual(["> /com", "> /commit   [message] | --…", "  /compact  [focus-instruc…"]);
  expect(drawn(16, "/com")).toEqual(["> /com", "> /commit", "  /compact"]);
});

test("a workflow without a description is called a workflow", () => {
  const entry = { name: "ship", kind: "workflow" as const, description: "", aliases: [], hint: "" };
  const one = { ...world, catalog: { entries: [entry], find: () => undefined } };
  const { state } = reduce(emptyState, { kind: "text", text: "/sh" }, one);
  expect(drawPrompt(state, "", { columns: 60, rows: 24, colour: false }).lines[1]).toMatch(/^> \/ship +workflow$/);
});

test("the hint stands behind the name, shortened to fit", () => {
  expect(drawn(60, "/explain-code ")[0]).toBe("> /explain-code <file-path> [function-name]");
  expect(drawn(30, "/explain-code ")[0]).toBe("> /explain-code <file-path>…");
});

test("a long list is a window around the chosen one, with its position", () => {
  const many = {
    ...world,
    catalog: {
      entries: Array.from({ length: 40 }, (_, n) => ({
        name: `c${n}`,
        kind: "command" as const,
        description: "",
        aliases: [],
        hint: "",
      })),
      find: () => undefined,
    },
  };
  let { state } = reduce(emptyState, { kind: "text", text: "/c" }, many);
  for (let n = 0; n < 20; n++) state = reduce(state, { kind: "press", key: "down" }, many).state;
  const { lines } = drawPrompt(state, "", { columns: 40, rows: 24, colour: false });
  expect(lines.slice(1)).toEqual([
    "  /c16",
    "  /c17",
    "  /c18",
    "  /c19",
    "> /c20",
    "  /c21",
    "  /c22",
    "  /c23",
    "  21 of 40",
  ]);
});

test("a text of several lines is shown as it is, and of a long one what is around the cursor", () => {
  expect(drawn(20, "paste:one\ntwo")).toEqual(["> one", "  two", "  opencode"]);
  expect(drawn(10, "abcdefghijkl")).toEqual(["> abcdefg", "  hijkl", "  openco…"]);
  const many = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
  const { lines, cursor } = drawPrompt(typed(`paste:${many}`).state, "", { columns: 40, rows: 12, colour: false });
  expect(lines).toEqual(Array.from({ length: 6 }, (_, n) => `  line ${n + 94}`));
  expect(cursor).toEqual({ row: 5, column: 9 });
});

test.each([0, 1, 2, 3, 50])(
  "in the middle of a long text, with %i lines above, the rows up to the cursor's are shown",
  (above) => {
    const [before, after] = ["long line above\n".repeat(above), "\nlong line below".repeat(50)];
    const state = { ...emptyState, text: `${before}here${after}`, cursor: before.length + 4 };
    const { lines, cursor } = drawPrompt(state, "", { columns: 13, rows: 8, colour: false });
    // Each line above takes two rows.
    const rows = [...Array.from({ length: above }, () => ["long line ", "above"]).flat(), "here"];
    const shown = [...rows, "long line ", "below", "long line "].map((row, at) => `${at === 0 ? "> " : "  "}${row}`);
    const from = Math.max(0, rows.length - 4);
    expect(lines).toEqual(shown.slice(from, from + 4));
    expect(cursor).toEqual({ row: Math.min(3, rows.length - 1), column: 6 });
  },
);

test("wide characters are not torn apart, and the cursor stands behind them", () => {
  const { lines, cursor } = drawPrompt(typed("日本語日本語").state, "", { columns: 10, rows: 9, colour: false });
  expect(lines).toEqual(["> 日本語", "  日本語"]);
  expect(cursor).toEqual({ row: 1, column: 8 });
  expect(drawPrompt(typed("a👩‍👩‍👧").state, "", { columns: 10, rows: 9, colour: false }).cursor.column).toBe(5);
});

test("a tab is shown as two spaces, and sent as it is", () => {
  const { state } = typed("paste:a\tb");
  expect(drawPrompt(state, "", { columns: 10, rows: 9, colour: false })).toEqual({
    lines: ["> a  b"],
    cursor: { row: 0, column: 6 },
  });
  expect(press(state, ...inputs("Enter")).effects).toMatchObject([{ kind: "send", text: "a\tb" }]);
});

test("a refusal stands below the line", () => {
  const { state } = press(typed("/zzz").state, ...inputs("Enter"));
  const { lines } = drawPrompt(state, "", { columns: 44, rows: 9, colour: false });
  expect(lines).toEqual([
    "> /zzz",
    "  There is no /zzz. To send text that",
    "  starts with a slash, begin with a space.",
  ]);
});

test.each([
  ["one", "> one\n"],
  ["one\ntwo", "> one\n  two\n"],
  ["a\x1b[2Jb", "> a\\x1b[2Jb\n"],
  ["all:\n\tcc x", "> all:\n    cc x\n"],
  ["word ".repeat(1000), `> ${"word ".repeat(1000).slice(0, 999)}…\n`],
  [
    Array.from({ length: 1011 }, (_, n) => n).join("\n"),
    `> 0\n${Array.from({ length: 10 }, (_, n) => `  ${n + 1}\n`).join("")}  … 1,000 more lines\n`,
  ],
])("of what is entered the beginning stays above: %j", (line, text) => {
  expect(enteredText(line)).toBe(text);
});

test("searching shows what is searched for", () => {
  expect(drawn(60, "Ctrl-R", "wör")[0]).toBe('search "wör": /commit fix the wörld');
  expect(drawn(60, "Ctrl-R", "no such line ".repeat(9))[0]).toBe('search "no such line no su…": ');
});

describe("in colors", () => {
  test("the chosen one is marked by a sign, too, and everything else is only bold, dim or cyan", () => {
    const { lines } = drawPrompt(typed("/com").state, "", { columns: 80, rows: 24, colour: true });
    expect(lines.join("")).toContain("\x1b[36m\x1b[1m> /commit");
    expect(lines.map(withoutColour)).toEqual(drawn(80, "/com"));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are made of them
    expect(new Set(lines.join("").match(/\x1b\[\d+m/g))).toEqual(
      new Set(["\x1b[36m", "\x1b[39m", "\x1b[1m", "\x1b[22m", "\x1b[2m"]),
    );
  });
});

test("whatever is typed, at any size, no line is wider than the terminal, and the cursor is on the screen", () => {
  const keys = fc.array(
    fc.constantFrom(
      "/",
      "/com",
      "日",
      "👩‍👩‍👧",
      "x",
      " ",
      "Tab",
      "Enter",
      "Ctrl-J",
      "Left",
      "Up",
      "Ctrl-R",
      "/model ",
      "Home",
      "Down",
    ),
    { maxLength: 25 },
  );
  fc.assert(
    fc.property(keys, fc.integer({ min: 8, max: 200 }), fc.integer({ min: 3, max: 40 }), (all, columns, rows) => {
      const { lines, cursor } = drawPrompt(typed(...all).state, "  opencode", { columns, rows, colour: true });
      for (const line of lines) expect(displayWidth(withoutColour(line))).toBeLessThan(columns);
      expect(lines.length).toBeLessThanOrEqual(Math.max(2, rows));
      expect(cursor.row).toBeWithin(0, lines.length);
      expect(cursor.column).toBeWithin(2, columns);
    }),
    { numRuns: 3000 },
  );
});
