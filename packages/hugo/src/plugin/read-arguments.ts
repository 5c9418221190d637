// From what a model sends to the input of an operation. OpenCode passes on anything, whatever the schema says.

import type { ArgumentSpec, OptionSpec } from "@atomic/terminal/command";
import { suggestion } from "@atomic/terminal/read-command-line";
import { UsageError } from "@atomic/terminal/refusal";
import type { CommonInput, Operation } from "../commands/shared/operation.ts";
import { offeredOptions } from "./offered-options.ts";
import type { Tool } from "./tools.ts";

type Value = boolean | string | readonly string[] | undefined;

export interface ToolArguments {
  /** Checked against the operation's specs, which give it its type. */
  readonly input: CommonInput & Readonly<Record<string, Value>>;
  /** The names that it is about, in the order given. */
  readonly subjects: readonly string[];
  readonly reload: boolean;
}

/** @throws {UsageError} */
export function readArguments(operation: Operation, tool: Tool, given: unknown): ToolArguments {
  const values = valuesIn(tool, given);
  const options = offeredOptions(operation, tool.options);
  const known = [
    ...Object.keys(operation.arguments),
    ...Object.keys(options),
    ...(operation.mutates ? ["reload"] : []),
  ];
  for (const name of values.keys()) if (!known.includes(name)) refuseUnknown(tool, name, known);

  const named = Object.entries(operation.arguments).map(
    ([name, spec]) => [name, readArgument(tool, name, spec, values.get(name))] as const,
  );
  const all = { ...operation.options, ...options };
  const chosen = Object.entries(all).map(
    ([name, spec]) => [name, readOption(tool, name, spec, values.get(name))] as const,
  );
  return {
    // Never from the model: it can neither agree in the user's place nor say that nothing is meant.
    input: { global: false, ...Object.fromEntries([...named, ...chosen]), dryRun: false, yes: false },
    subjects: named.flatMap(([, value]) => value ?? []),
    reload: operation.mutates && readFlag(tool, "reload", values.get("reload")),
  };
}

/** Without what says nothing: models like to send `false` and `null` for all that they do not mean. */
function valuesIn(tool: Tool, given: unknown): ReadonlyMap<string, unknown> {
  const isMap = typeof given === "object" && given !== null && !Array.isArray(given);
  if (given !== undefined && !isMap) refuse(tool, "takes its arguments by name");
  const entries = Object.entries((given ?? {}) as Readonly<Record<string, unknown>>);
  return new Map(entries.filter(([, value]) => value !== undefined && value !== null && value !== false));
}

function refuseUnknown(tool: Tool, name: string, known: readonly string[]): never {
  throw new UsageError(`${tool.name} has no argument "${name}"${suggestion(name, known)}`, {
    hint: `It has ${known.join(", ")}. Nothing was changed. Whatever loosens a check is for the user, in a terminal.`,
  });
}

function readArgument(
  tool: Tool,
  name: string,
  { count }: ArgumentSpec,
  value: unknown,
): string | string[] | undefined {
  if (count === "some" && value === undefined) refuse(tool, `needs "${name}"`);
  if (count === "many" || count === "some") {
    const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
    return list.map((each) => readText(tool, name, each));
  }
  if (value === undefined) return count === "one" ? refuse(tool, `needs "${name}"`) : undefined;
  return readText(tool, name, value);
}

function readOption(tool: Tool, name: string, spec: OptionSpec, value: unknown): boolean | string | undefined {
  if (spec.kind === "flag") return readFlag(tool, name, value);
  if (value === undefined) return undefined;
  const text = readText(tool, name, value);
  if (spec.kind === "choice" && !spec.choices.includes(text)) {
    refuse(tool, `wants one of ${spec.choices.join(", ")} for "${name}"`);
  }
  return text;
}

function readFlag(tool: Tool, name: string, value: unknown): boolean {
  if (value === undefined || value === true) return value === true;
  return refuse(tool, `wants true or false for "${name}"`);
}

function readText(tool: Tool, name: string, value: unknown): string {
  return typeof value === "string" && value !== "" ? value : refuse(tool, `wants text for "${name}"`);
}

function refuse({ name }: Tool, problem: string): never {
  throw new UsageError(`${name} ${problem}`, { hint: "Nothing was changed." });
}
