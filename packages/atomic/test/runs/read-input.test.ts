import { describe, expect, test } from "bun:test";
import { UsageError } from "@atomic/terminal/refusal";
import type { ArgumentsJson } from "@atomic/workflows/internal/entities/workflow-arguments";
import { readInput } from "../../src/runtime/read-input.ts";

const declared: ArgumentsJson = {
  topic: { type: "rest", required: true },
  depth: { type: "number", default: 2, min: 1, whole: true },
  yolo: { type: "string", value: "prompt" },
  fast: { type: "boolean" },
};

function read(words: readonly string[], given: ArgumentsJson | undefined = declared) {
  return readInput({ workflow: "flow", declared: given, words, ownFlags: ["--model", "--json", "--help"] });
}

describe("declared arguments", () => {
  test.each([
    [["locks"], { topic: "locks", depth: 2, fast: false }],
    [["all", "about", "locks"], { topic: "all about locks", depth: 2, fast: false }],
    [["x", "--depth", "5", "--fast"], { topic: "x", depth: 5, fast: true }],
    [["x", "--yolo=--depth"], { topic: "x", depth: 2, fast: false, yolo: "--depth" }],
    [["x", "--", "--depth", "5"], { topic: "x --depth 5", depth: 2, fast: false }],
  ])("%j is parsed as %j", (words, input) => {
    expect(read(words)).toEqual(input);
  });

  test.each([
    [[], "flow: <topic> is missing."],
    [["x", "--depth", "zero"], 'flow: --depth must be a whole number of at least 1, not "zero".'],
    [["x", "--dept", "5"], "unknown option --dept (did you mean --depth?)"],
    [["x", "--modle", "5"], "unknown option --modle (did you mean --model?)"],
    [["x", "--zzz"], "unknown option --zzz"],
    [["x", "-f"], "unknown option -f"],
    [["x", "--depth", "5", "--depth=5"], "flow: --depth was given twice."],
    [["--yolo"], "flow: --yolo needs a value. <topic> is missing."],
  ])("%j are refused", (words, message) => {
    expect(() => read(words)).toThrow(new UsageError(message, { hint: "" }));
  });

  test("it says what to do next", () => {
    expect(() => read([])).toThrow(expect.objectContaining({ hint: "Run `atomic run flow --help` for usage." }));
  });
});

describe("without declared arguments", () => {
  test.each([
    [[], null],
    [["a", "b"], "a b"],
    [
      ["[1,", "2]"],
      [1, 2],
    ],
    [["--", "--json", "--", "x"], "--json -- x"],
    [["3"], "3"],
    [["{oops"], "{oops"],
  ])("%j is %j", (words, input) => {
    expect(readInput({ workflow: "flow", declared: undefined, words, ownFlags: [] })).toEqual(input);
  });

  test("an unknown flag is not treated as text", () => {
    const request = { workflow: "flow", declared: undefined, words: ["--hots", "claude"], ownFlags: ["--host"] };
    expect(() => readInput(request)).toThrow("unknown option --hots (did you mean --host?)");
  });
});
