import { expect, test } from "bun:test";
import { sentences } from "../src/report/sentences.ts";

test.each([
  [
    ["unknown option --mode (did you mean --model?)", "Run `x`."],
    "Unknown option --mode (did you mean --model?). Run `x`.",
  ],
  [["It keeps its host and input", "leave it out"], "It keeps its host and input. Leave it out"],
  [["Who are you?", "Say it."], "Who are you? Say it."],
  [["calm-otter has ended", undefined], "calm-otter has ended"],
  [["ship: <version> is missing.", ""], "ship: <version> is missing."],
])("%j are the sentences %j", (parts, text) => expect(sentences(...parts)).toBe(text));
