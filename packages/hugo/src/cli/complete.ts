// What a shell offers behind `hugo`. The shells' own scripts only hand over the words and show what comes back.
import { DurableError } from "@atomic/durable-files/errors";
import { HugoError } from "../errors.ts";
import { readLock } from "../lock-file/read-lock.ts";
import type { ArgumentSpec, Operation, OptionSpec, OptionSpecs } from "../operation.ts";
import { shells } from "../operations/completion.ts";
import { findOperation, type OperationTable } from "../operations.ts";
import { placeFor } from "../place.ts";
import { errnoOf } from "../store/remove-tree.ts";
import { textIn } from "../workspace/read-text.ts";
import { Reads } from "../workspace/reads.ts";
import type { Console } from "./console.ts";
import { everywhere, longFlag, optionsOf, withoutCommand } from "./flags.ts";

/** Instead of candidates: the shell knows better. */
const files = ":files";

type Candidates = typeof files | readonly (readonly [word: string, meaning: string])[];

/** One candidate a line, with a tab before its meaning. The last of the words is the one that is being typed. */
export async function complete(words: readonly string[], console: Console, table: OperationTable): Promise<string> {
  const typed = words.at(-1) ?? "";
  const found = await candidates(withoutBreaks(words), console, table);
  if (found === files) return `${files}\n`;
  const prefix = typed === "=" ? "" : typed;
  return found
    .filter(([word]) => word.startsWith(prefix))
    .map(([word, meaning]) => `${word}\t${meaning}\n`)
    .join("");
}

/** bash hands over `--type=agent` as three words. */
function withoutBreaks(words: readonly string[]): readonly string[] {
  const isBreak = (word: string, at: number): boolean => word === "=" && words[at - 1]?.startsWith("--") === true;
  const kept = words.filter((word, at) => !isBreak(word, at));
  return words.at(-1) === "=" ? [...kept, ""] : kept;
}

async function candidates(words: readonly string[], console: Console, table: OperationTable): Promise<Candidates> {
  const [before, typed] = [words.slice(0, -1), words.at(-1) ?? ""];
  const at = before.findIndex((word) => !word.startsWith("-"));
  const name = before[at];
  if (name === undefined)
    return typed.startsWith("-") ? flags({ ...everywhere, ...withoutCommand }, before) : await commands(table);
  if (name === "help") return await commands(table);
  const operation = await findOperation(name, table)?.load();
  return operation === undefined
    ? []
    : ofOperation(operation, [...before.slice(0, at), ...before.slice(at + 1)], typed, console);
}

async function commands(table: OperationTable): Promise<Candidates> {
  const rows = table.map(async ({ name, load }) => [name, (await load()).summary] as const);
  return [...(await Promise.all(rows)), ["help", "Show the help of a command"]];
}

function ofOperation(operation: Operation, before: readonly string[], typed: string, console: Console): Candidates {
  const options = optionsOf(operation);
  const onlyArguments = before.includes("--");
  const last = onlyArguments ? undefined : valueOption(options, before.at(-1) ?? "");
  if (last !== undefined) return valuesOf(last);
  if (typed.startsWith("-") && !onlyArguments) return flagOrValue(options, before, typed);
  const given = before.filter((word, index) => !word.startsWith("-") && !valueOption(options, before[index - 1] ?? ""));
  return argumentValues(
    operation,
    given,
    console,
    before.some((word) => word === "-g" || word === "--global"),
  );
}

function flagOrValue(options: OptionSpecs, before: readonly string[], typed: string): Candidates {
  const flag = typed.split("=", 1)[0] ?? "";
  const option = typed.includes("=") ? valueOption(options, flag) : undefined;
  const values = option === undefined ? flags(options, before) : valuesOf(option);
  if (values === files || option === undefined) return values;
  return values.map(([word, meaning]) => [`${flag}=${word}`, meaning]);
}

function flags(options: OptionSpecs, given: readonly string[]): Candidates {
  return Object.entries(options)
    .map(([name, { summary }]): [string, string] => [longFlag(name), summary])
    .filter(([flag]) => !given.includes(flag));
}

function valueOption(options: OptionSpecs, flag: string): OptionSpec | undefined {
  return Object.entries(options).find(([name, { kind }]) => kind !== "flag" && longFlag(name) === flag)?.[1];
}

function valuesOf(option: OptionSpec): Candidates {
  return option.kind === "choice" ? option.choices.map((choice) => [choice, ""]) : files;
}

/** Operations call an argument `name` if and only if it is that of an installed workflow. */
function argumentValues(
  { arguments: specs }: Operation,
  given: readonly string[],
  console: Console,
  global: boolean,
): Candidates {
  const [name] = argumentAt(Object.entries(specs), given.length) ?? [];
  if (name === undefined) return [];
  if (name === "shell") return shells.map((shell) => [shell, ""]);
  if (name !== "name" && name !== "names") return files;
  return installedNames(console, global)
    .filter((installed) => !given.includes(installed))
    .map((installed) => [installed, ""]);
}

function argumentAt(
  specs: readonly (readonly [string, ArgumentSpec])[],
  at: number,
): readonly [string, ArgumentSpec] | undefined {
  const last = specs.at(-1);
  return specs[at] ?? (last?.[1].count === "many" ? last : undefined);
}

/** None if something is wrong with hugo.json: every command says what. */
function installedNames(console: Console, global: boolean): string[] {
  const { lockFile } = placeFor(console, { global });
  try {
    return [...readLock(textIn(new Reads(), lockFile), lockFile).workflows.keys()];
  } catch (error) {
    const isUnreadable = error instanceof HugoError || error instanceof DurableError || errnoOf(error) !== undefined;
    if (!isUnreadable) throw error;
    return [];
  }
}
