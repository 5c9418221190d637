import { describe, expect, test } from "bun:test";
import { flagOf, hintOfArguments } from "../../src/entities/workflow-arguments.ts";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { defineGraph } from "../../src/graph/builder.ts";
import { GraphError } from "../../src/graph/graph-error.ts";
import { readArguments } from "../../src/graph/read-arguments.ts";
import { readGraph } from "../../src/graph/read-graph.ts";

const declared = {
  yolo: { type: "string", value: "prompt" },
  maxIterations: { type: "number", default: 100, min: 1, whole: true },
  dryRun: { type: "boolean" },
  topic: { type: "rest" },
} as const;

const nothing = { maxIterations: 100, dryRun: false };

describe("words become the input", () => {
  test.each([
    ["nothing", [], nothing],
    ["a value behind its flag", ["--yolo", "fix it"], { ...nothing, yolo: "fix it" }],
    ["a value after an equals sign", ["--max-iterations=5"], { ...nothing, maxIterations: 5 }],
    ["a switch", ["--dry-run"], { ...nothing, dryRun: true }],
    ["the rest as one text", ["all", "the", "locks"], { ...nothing, topic: "all the locks" }],
    ["flags around the rest", ["all", "--dry-run", "locks"], { ...nothing, dryRun: true, topic: "all locks" }],
    ["words after two dashes", ["--", "--dry-run"], { ...nothing, topic: "--dry-run" }],
    ["a value that begins with dashes", ["--yolo=--all"], { ...nothing, yolo: "--all" }],
    ["a negative-looking text", ["--yolo", "-1"], { ...nothing, yolo: "-1" }],
    ["an empty value", ["--yolo="], { ...nothing, yolo: "" }],
    ["a switch twice", ["--dry-run", "--dry-run"], { ...nothing, dryRun: true }],
  ] as const)("%s", (_what, words, input) => {
    expect(readArguments(declared, words)).toEqual({ input, problems: [] });
  });

  test("missing arguments have no key", () => {
    expect(readArguments(declared, []).input).not.toHaveProperty("yolo");
  });
});

describe("all problems come at once, as sentences", () => {
  const flags = { yolo: { type: "string" }, maxIterations: { type: "number", min: 1, max: 9, whole: true } } as const;
  test.each([
    ["a misspelled flag", ["--max-iteration", "5"], "Unknown flag --max-iteration. Did you mean --max-iterations?"],
    ["an unknown flag", ["--verbose"], "Unknown flag --verbose. Known flags: --yolo, --max-iterations."],
    ["a short flag", ["-v"], "Unknown flag -v. Known flags: --yolo, --max-iterations."],
    ["no value", ["--yolo"], "--yolo needs a value."],
    ["two values", ["--yolo", "a", "--yolo=b"], "--yolo was given twice."],
    [
      "a flag for a value",
      ["--yolo", "--max-iterations=1"],
      "--yolo needs a value. For a value that starts with dashes, write --yolo=--max-iterations=1.",
    ],
    ["no number", ["--max-iterations", "many"], '--max-iterations must be a whole number from 1 to 9, not "many".'],
    ["an empty number", ["--max-iterations="], '--max-iterations must be a whole number from 1 to 9, not "".'],
    ["half a number", ["--max-iterations", "1.5"], '--max-iterations must be a whole number from 1 to 9, not "1.5".'],
    ["too small a number", ["--max-iterations", "0"], '--max-iterations must be a whole number from 1 to 9, not "0".'],
    [
      "too large a number",
      ["--max-iterations", "10"],
      '--max-iterations must be a whole number from 1 to 9, not "10".',
    ],
    [
      "a value without its quotes",
      ["--yolo", "fix", "the", "lock"],
      '"the lock" does not match any argument. Expected --yolo <text> | --max-iterations <n>; quote any value that contains spaces.',
    ],
  ] as const)("%s", (_what, words, problem) => {
    const { problems } = readArguments(flags, words);
    expect(problems[0]).toBe(problem);
  });

  test("a switch with a value, a required flag and a required rest", () => {
    const strict = {
      on: { type: "boolean" },
      host: { type: "string", required: true },
      topic: { type: "rest", value: "question", required: true },
    } as const;
    expect(readArguments(strict, ["--on=no"]).problems).toEqual([
      "--on is a flag and takes no value.",
      "--host is missing.",
      "<question> is missing.",
    ]);
  });

  test("for a workflow that takes none", () => {
    expect(readArguments({}, ["--x", "y"]).problems).toEqual([
      "Unknown flag --x. This workflow takes no flags.",
      '"y" does not match any argument. This workflow takes no arguments.',
    ]);
  });

  test("no word is a key of every object", () => {
    expect(readArguments(declared, ["--constructor", "--__proto__=x"]).problems).toHaveLength(2);
  });
});

test("hints name the rest first", () => {
  expect(hintOfArguments(declared)).toBe("[topic] | --yolo <prompt> | --max-iterations <n> | --dry-run");
  expect(hintOfArguments({ topic: { type: "rest", value: "question", required: true } })).toBe("<question>");
  expect(hintOfArguments({})).toBeUndefined();
  const file = { type: "string", required: true, value: "path" } as const;
  expect(hintOfArguments({ note: { type: "rest" }, dry: { type: "boolean" }, file })).toBe(
    "--file <path> [note] [--dry]",
  );
  expect(hintOfArguments({ dry: { type: "boolean" } })).toBe("[--dry]");
  expect(flagOf("aBigKey")).toBe("--a-big-key");
});

describe("a graph with arguments", () => {
  test("has a typed input, and its data has the declared arguments", () => {
    const graph = defineGraph({ name: "study", arguments: declared }, (study) =>
      study.start(
        agentNode({
          prompt: ({ input }) => {
            const yolo: string | undefined = input.yolo;
            const most: number = input.maxIterations;
            const dry: boolean = input.dryRun;
            // @ts-expect-error There is no such argument.
            return `${yolo} ${most} ${dry} ${input.maxIteration}`;
          },
        }),
      ),
    );
    expect(graph.argumentHint).toBe("[topic] | --yolo <prompt> | --max-iterations <n> | --dry-run");
    const { json } = graph.assemble();
    expect(JSON.parse(JSON.stringify(json)).arguments).toEqual(declared);
    expect(readGraph(JSON.parse(JSON.stringify(json)))).toEqual(json);
  });

  test("without them takes any input", () => {
    const graph = defineGraph({ name: "any", argumentHint: "<anything>" }, (any) =>
      any.start(toolNode({ run: ({ input }) => input })),
    );
    expect(graph.arguments).toBeUndefined();
    expect(graph.argumentHint).toBe("<anything>");
    expect(graph.assemble().json).not.toHaveProperty("arguments");
  });

  test.each([
    ["a key that cannot be typed", { "max-iterations": { type: "number" } }, "arguments.max-iterations: This is not"],
    [
      "two that take the rest",
      { a: { type: "rest" }, b: { type: "rest" } },
      "arguments.b: Another argument already takes",
    ],
    ["an unknown type", { a: { type: "date" } }, "arguments.a.type: must be a valid argument type"],
    ["an unknown key", { a: { type: "boolean", default: true } }, "arguments.a.default: is not a valid key here"],
    ["a default of another type", { a: { type: "number", default: "5" } }, 'a.default: must be a number, not "5"'],
  ])("is refused for %s", (_what, wrong, problem) => {
    const { json } = defineGraph({ name: "x" }, (graph) => graph.start(toolNode({ run: () => null }))).assemble();
    const read = (): unknown => readGraph({ ...json, arguments: wrong });
    expect(read).toThrow(GraphError);
    expect(read).toThrow(problem);
  });
});
