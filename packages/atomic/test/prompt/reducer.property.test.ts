// Whatever is pressed, in whatever order.
import { expect, test } from "bun:test";
import { graphemesOf } from "@atomic/terminal/width";
import fc from "fast-check";
import { type PromptInput, reduce } from "../../src/prompt/line/reducer.ts";
import { commandLine, emptyState, type PromptState } from "../../src/prompt/line/state.ts";
import { world } from "./world.ts";

const keys =
  "enter shift+enter tab shift+tab escape backspace delete left right up down home end pageup pagedown space " +
  "alt+b alt+f alt+d alt+backspace alt+enter ctrl+left ctrl+right ctrl+a ctrl+b ctrl+c ctrl+d ctrl+e ctrl+f ctrl+g ctrl+j " +
  "ctrl+k ctrl+l ctrl+n ctrl+o ctrl+p ctrl+r ctrl+s ctrl+u ctrl+w ctrl+y ctrl+z f1 alt+escape";
const texts = [
  "/",
  "/com",
  "/commit ",
  "/explain-code",
  "c",
  "o",
  "m",
  " ",
  "x",
  "\\",
  "日",
  "👩‍👩‍👧",
  "\u0301",
  "👧",
  "\u200d",
  "🇩",
  "🇪",
];

const input: fc.Arbitrary<PromptInput> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...texts).map((text) => ({ kind: "text" as const, text })) },
  { weight: 5, arbitrary: fc.constantFrom(...keys.split(" ")).map((key) => ({ kind: "press" as const, key })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("one\ntwo", "/model \n", "a b").map((text) => ({ kind: "paste" as const, text })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "world" as const }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("values").map(() => ({
      kind: "offer" as const,
      for: emptyState,
      values: ["src/a.ts", "src/b.ts", "list", "日本", "日記"],
    })),
  },
);

function check({ text, cursor, mode, notice, recalled }: PromptState): void {
  expect(cursor).toBeWithin(0, text.length + 1);
  // The cursor is never within a character.
  const line = text.slice(0, cursor).lastIndexOf("\n") + 1;
  const end = text.indexOf("\n", line);
  let at = line;
  for (const character of graphemesOf(text.slice(line, end === -1 ? undefined : end))) {
    if (at >= cursor) break;
    at += character.length;
  }
  expect(at).toBe(cursor);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(notice).not.toBe("");
  if (recalled !== undefined) expect(world.history[recalled.at]).toBeDefined();
  switch (mode.kind) {
    case "hint": {
      // A hint is shown only behind a complete name without arguments.
      const command = commandLine(text);
      expect(command?.args?.trim()).toBe("");
      expect(world.catalog.find(command?.name ?? "")?.hint).toBe(mode.hint);
      expect(cursor).toBe(text.length);
      break;
    }
    case "suggesting":
      expect(text[mode.from]).toBe("/");
      expect(mode.matches.length).toBeGreaterThan(0);
      if (mode.selected !== undefined) expect(mode.matches[mode.selected]).toBeDefined();
      expect(cursor).toBeWithin(mode.from + 1, mode.to + 1);
      break;
    case "completing":
      expect(mode.matches[mode.selected]).toBeDefined();
      expect(mode.from).toBeLessThanOrEqual(cursor);
      break;
    case "searching":
      if (mode.at !== undefined) expect(text).toBe(world.history[mode.at] ?? "");
      break;
  }
}

/** Whatever is open, this is how to leave. */
function leave(from: PromptState): readonly string[] {
  let state = from;
  for (let pressed = 1; pressed <= 4; pressed++) {
    const step = reduce(state, { kind: "press", key: "ctrl+c" }, world);
    if (step.effects.some(({ kind }) => kind === "exit")) return [];
    state = step.state;
  }
  return [`no way out of ${JSON.stringify(from)}`];
}

test("100,000 random sequences of keys keep what the prompt line promises", () => {
  let sequences = 0;
  const modes = new Set<string>();
  fc.assert(
    fc.property(fc.array(input, { maxLength: 14, size: "max" }), (sequence) => {
      sequences += 1;
      let state = emptyState;
      for (const each of sequence) {
        const real = each.kind === "offer" ? { ...each, for: { text: state.text, cursor: state.cursor } } : each;
        const before = JSON.stringify([state.text, state.cursor, state.mode.kind]);
        const step = reduce(state, real, world);
        expect(JSON.stringify([state.text, state.cursor, state.mode.kind])).toBe(before);
        state = step.state;
        modes.add(state.mode.kind);
        check(state);
        for (const effect of step.effects) {
          if (effect.kind === "run") expect(world.catalog.find(effect.entry.name)).toBe(effect.entry);
          if (effect.kind === "send") expect(effect.text.trim()).not.toBe("");
          if (effect.kind === "run" || effect.kind === "send") expect(state.text).toBe("");
        }
      }
      expect(leave(state)).toEqual([]);
    }),
    { numRuns: 100_000, seed: 3 },
  );
  expect(sequences).toBeGreaterThanOrEqual(100_000);
  expect([...modes].toSorted()).toEqual(["arguments", "completing", "hint", "idle", "searching", "suggesting"]);
}, 240_000);

test("the text is what was typed, and Backspace takes it back character by character", () => {
  const words = fc.array(fc.constantFrom(...texts), { maxLength: 20 });
  fc.assert(
    fc.property(words, (all) => {
      let state = emptyState;
      for (const text of all) state = reduce(state, { kind: "text", text }, world).state;
      expect(state).toMatchObject({ text: all.join(""), cursor: all.join("").length });
      const characters = [...graphemesOf(state.text)].length;
      for (let n = 0; n < characters; n++) state = reduce(state, { kind: "press", key: "backspace" }, world).state;
      expect(state.text).toBe("");
    }),
    { numRuns: 5000, seed: 3 },
  );
});
