import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Provider } from "../src/entities/entity.ts";
import { getCommandHint, type HintRegistry, type HintSource, parseCommandInput } from "../src/entities/hints.ts";

interface Written {
  readonly name?: string;
  readonly provider?: Provider;
  readonly hint?: string;
  readonly names?: readonly string[];
  readonly body?: string;
}

function command({ name = "mine", provider = "claude", hint, names = [], body = "" }: Written): HintSource {
  return {
    type: "command",
    name,
    ...(hint === undefined ? {} : { argumentHint: hint }),
    argumentNames: names,
    prompt: body,
    source: { provider, location: "project" },
  };
}

function registryOf(
  commands: readonly HintSource[],
  skills: readonly HintSource[] = [],
  workflows: readonly HintSource[] = [],
): HintRegistry {
  return {
    getWorkflow: (name) => workflows.find((entity) => entity.name === name),
    getCommand: (name) => commands.find((entity) => entity.name === name),
    getSkill: (name) => skills.find((entity) => entity.name === name),
  };
}

describe("a command's hint", () => {
  test.each<[string, Written, string | undefined]>([
    ["its argument-hint", { hint: "[message]", names: ["a"], body: "$0" }, "[message]"],
    ["an empty argument-hint: no arguments", { hint: "", body: "$0" }, ""],
    ["its named arguments", { names: ["from", "to"], body: "$0 $from" }, "[from] [to]"],
    ["Claude's first two words", { body: "Move $0 to $1" }, "<arg1> <arg2>"],
    ["Claude's second word needs a first", { body: "Only $1" }, "<arg1> <arg2>"],
    ["everything typed", { body: "Do $ARGUMENTS" }, "[arguments]"],
    ["words before everything", { body: "$0 of $ARGUMENTS" }, "<arg1>"],
    ["a price is not an argument", { body: "costs $20 and \\$0" }, undefined],
    ["no placeholders", { body: "plain" }, undefined],
    ["OpenCode counts from one", { provider: "opencode", body: "Move $1 to $2" }, "<arg1> <arg2>"],
    ["OpenCode's $ARGUMENTS", { provider: "opencode", body: "$ARGUMENTS" }, "[arguments]"],
    ["OpenCode has no names", { provider: "opencode", names: ["from"], body: "$1" }, "<arg1>"],
    ["OpenCode's $0 names no word", { provider: "opencode", body: "$0" }, undefined],
    ["Copilot", { provider: "copilot", names: ["from"], body: "$0, $ARGUMENTS[2]" }, "<arg1> <arg2> <arg3>"],
    ["Atomic", { provider: "atomic", names: ["from"], body: "$from" }, "[from]"],
  ])("%s", (_, written, expected) => {
    expect(getCommandHint(command(written))).toBe(expected);
  });

  test("does not read the body if the frontmatter is enough", () => {
    const lazy = {
      ...command({ hint: "[x]" }),
      get prompt(): string {
        throw new Error("the body was read");
      },
    };
    expect(getCommandHint(lazy)).toBe("[x]");
  });

  test.each([
    ["ralph", "--yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>"],
    ["commit", "[message] | --amend"],
    ["research-codebase", "<question or topic>"],
    ["create-spec", "<research-doc-path>"],
    ["implement-feature", "[feature-id]"],
    ["create-feature-list", "<spec-path>"],
    ["create-gh-pr", "[title]"],
    ["explain-code", "<file-path> [function-name]"],
    ["model", "select | refresh | list [provider] | <model-name>"],
    ["compact", "[focus-instructions]"],
    ["resume", "[session-id]"],
    ["clear", ""],
    ["help", "[command-name]"],
    ["Commit", "[message] | --amend"],
  ])("builtin %s", (name, expected) => {
    expect(getCommandHint(name)).toBe(expected);
    expect(getCommandHint(name, registryOf([]))).toBe(expected);
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty", "nothing", ""])("%j is unknown", (name) => {
    expect(getCommandHint(name)).toBeUndefined();
  });

  test("a registry's command comes first, then its skill, then the builtin", () => {
    const commit = command({ name: "commit", hint: "of the command" });
    const skill = command({ name: "commit", hint: "of the skill" });
    expect(getCommandHint("commit", registryOf([commit], [skill]))).toBe("of the command");
    expect(getCommandHint("commit", registryOf([], [skill]))).toBe("of the skill");
    expect(getCommandHint("commit", registryOf([command({ name: "commit" })]))).toBe("[message] | --amend");
    expect(getCommandHint(command({ name: "commit", body: "$0" }))).toBe("<arg1>");
  });
});

describe("a workflow's hint", () => {
  const workflow = (written: Written): HintSource => ({ ...command(written), type: "workflow" });

  test("comes after a command's and a skill's, and before a builtin's", () => {
    const own = workflow({ name: "resume", hint: "<version>" });
    expect(getCommandHint("resume", registryOf([], [], [own]))).toBe("<version>");
    expect(getCommandHint("resume", registryOf([], [command({ name: "resume", hint: "[x]" })], [own]))).toBe("[x]");
    expect(getCommandHint("resume", registryOf([], [], [workflow({ name: "resume" })]))).toBeUndefined();
  });

  test("comes before a builtin skill's, even if that is called the same", () => {
    const builtin = {
      ...command({ name: "explain", hint: "<file>" }),
      source: { provider: "atomic", location: "builtin" },
    } as const;
    const own = workflow({ name: "explain", hint: "<topic>" });
    expect(getCommandHint("explain", registryOf([], [builtin], [own]))).toBe("<topic>");
    expect(getCommandHint("explain", registryOf([], [builtin]))).toBe("<file>");
  });

  test("does not take code for placeholders", () => {
    expect(getCommandHint(workflow({ body: "text.replace(/(a)/, '$1 $ARGUMENTS')" }))).toBeUndefined();
  });
});

describe("a prompt line", () => {
  test.each([
    // As the design has it.
    ["/commit", "commit", false, ""],
    ["/commit ", "commit", true, ""],
    ["/commit --amend", "commit", true, "--amend"],
    ["/commit  two", "commit", true, " two"],
    ["commit", "", false, ""],
    ["", "", false, ""],
    ["/", "", false, ""],
    // Beyond it.
    ["/commit\tx", "commit", true, "x"],
    ["/commit\nfirst\nsecond", "commit", true, "first\nsecond"],
    ["/ns:fix it", "ns:fix", true, "it"],
    ["/sub/fix it", "sub/fix", true, "it"],
    ["/usr/bin/env node", "usr/bin/env", true, "node"],
    ["//comment here", "", false, ""],
    ["/ commit", "", false, ""],
    [" /commit", "", false, ""],
    ["/prüfen 日本", "prüfen", true, "日本"],
    ["/a/b/ ", "a/b/", true, ""],
  ])("%j: %j, %p, %j", (input, commandName, hasArgs, argsText) => {
    expect(parseCommandInput(input)).toEqual({ commandName, hasArgs, argsText });
  });

  test("loses nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (rest) => {
        const input = `/${rest}`;
        const { commandName, hasArgs, argsText } = parseCommandInput(input);
        if (commandName === "") return expect({ hasArgs, argsText }).toEqual({ hasArgs: false, argsText: "" });
        const separator = hasArgs ? (input[commandName.length + 1] ?? "") : "";
        expect(`/${commandName}${separator}${argsText}`).toBe(input);
        expect(commandName).not.toMatch(/\s/);
      }),
    );
  });
});
