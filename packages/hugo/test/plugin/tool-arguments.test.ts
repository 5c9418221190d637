import { expect, test } from "bun:test";
import { UsageError } from "@atomic/terminal/refusal";
import type { HugoCommand } from "../../src/commands/shared/hugo-command.ts";
import { findCommand } from "../../src/commands.ts";
import { readArguments, type ToolArguments } from "../../src/plugin/tool-arguments.ts";
import { tools } from "../../src/plugin/tools.ts";

async function read(name: string, given: unknown): Promise<ToolArguments> {
  const tool = tools.find(({ command }) => command === name)!;
  return readArguments(await findCommand(name)!.load(), tool, given);
}

test("every tool is a command, asks if and only if it changes something, and offers options that exist", async () => {
  for (const { command, asks, options } of tools) {
    const { mutates, options: known } = await findCommand(command)!.load();
    expect([command, asks]).toEqual([command, mutates]);
    expect(Object.keys(known)).toEqual(expect.arrayContaining([...options]));
  }
});

const nothing = { global: false, dryRun: false, yes: false };

test.each([
  ["install", { spec: ["a", "b"] }, { spec: ["a", "b"], force: false, allowNew: false, select: undefined }],
  ["install", { spec: "a" }, { spec: ["a"] }],
  ["install", { spec: ["a"], yes: false, force: null, global: true }, { spec: ["a"], global: true }],
  ["update", {}, { name: [], skipModified: false, allowNew: false }],
  ["update", undefined, { name: [] }],
  ["list", { name: "review" }, { name: "review" }],
  ["status", {}, { name: undefined }],
  ["disable", { all: true }, { name: [], all: true }],
  ["health", { all: true, name: "x" }, { name: "x", all: true, static: false }],
])("%s %j is understood", async (command, given, input) => {
  expect((await read(command, given)).input).toMatchObject({ ...nothing, ...input });
});

test("the arguments and the reload flag are read separately", async () => {
  expect(await read("remove", { name: ["a", "b"], reload: true })).toMatchObject({
    subjects: ["a", "b"],
    reload: true,
  });
  expect(await read("health", { name: "a" })).toMatchObject({ subjects: ["a"], reload: false });
});

test.each([
  ["install", { spec: ["a"], yes: true }, 'hugo_install has no argument "yes"'],
  ["install", { spec: ["a"], yes: "false" }, 'hugo_install has no argument "yes"'],
  ["install", { spec: ["a"], dryRun: true }, 'hugo_install has no argument "dryRun"'],
  ["install", { spec: ["a"], force: true }, 'hugo_install has no argument "force"'],
  ["install", { specs: ["a"] }, 'hugo_install has no argument "specs" (did you mean "spec"?)'],
  ["install", JSON.parse('{"__proto__": {"yes": true}}'), 'hugo_install has no argument "__proto__"'],
  ["install", {}, 'hugo_install needs "spec"'],
  ["switch", { name: null }, 'hugo_switch needs "name"'],
  ["install", { spec: [1] }, 'hugo_install needs text for "spec"'],
  ["install", { spec: [""] }, 'hugo_install needs text for "spec"'],
  ["install", { spec: { a: 1 } }, 'hugo_install needs text for "spec"'],
  ["install", { spec: ["a"], reload: "yes" }, 'hugo_install needs true or false for "reload"'],
  ["list", { name: ["a"] }, 'hugo_list needs text for "name"'],
  ["list", { reload: true }, 'hugo_list has no argument "reload"'],
  ["health", { static: true }, 'hugo_health has no argument "static"'],
  ["enable", { all: "true" }, 'hugo_enable needs true or false for "all"'],
  ["enable", ["review"], "hugo_enable needs an object with named arguments"],
  ["enable", "review", "hugo_enable needs an object with named arguments"],
])("%s %j is refused: %s", async (command, given, message) => {
  const refusal = read(command, given);
  await expect(refusal).rejects.toBeInstanceOf(UsageError);
  await expect(refusal).rejects.toMatchObject({ message, hint: expect.stringContaining("Nothing was changed.") });
});

test("arguments and options of every kind are read as they are declared", () => {
  const command = {
    arguments: { target: { count: "one", summary: "" } },
    options: { as: { kind: "choice", value: "kind", choices: ["a", "b"], summary: "" } },
    mutates: false,
  } as unknown as HugoCommand;
  const tool = { name: "hugo_x", command: "x", asks: false, options: ["as"] };
  expect(readArguments(command, tool, { target: "t", as: "b" }).input).toMatchObject({ target: "t", as: "b" });
  expect(() => readArguments(command, tool, {})).toThrow('hugo_x needs "target"');
  expect(() => readArguments(command, tool, { target: "t", as: "c" })).toThrow('hugo_x needs one of a, b for "as"');
});
