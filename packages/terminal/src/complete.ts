// What a shell offers behind a program's name. The shells' own scripts only hand over the words and show what comes back.
import {
  type CommandSpec,
  findCommand,
  longFlag,
  type OptionSpec,
  type OptionSpecs,
  optionsOf,
  type Program,
  secondWords,
  withoutCommand,
} from "./command.ts";
import type { Console } from "./console.ts";

/** Instead of candidates: the shell knows better. */
const files = ":files";

type Candidates = typeof files | readonly (readonly [word: string, meaning: string])[];

/** One candidate per line, with a tab before its meaning. The last of the words is the one that is being typed. */
export async function complete(words: readonly string[], console: Console, program: Program): Promise<string> {
  const typed = words.at(-1) ?? "";
  // bash hands over `--type=agent` as three words.
  const kept = words.filter((word, at) => word !== "=" || words[at - 1]?.startsWith("--") !== true);
  const found = await candidates(typed === "=" ? [...kept, ""] : kept, console, program);
  if (found === files) return `${files}\n`;
  const prefix = typed === "=" ? "" : typed;
  return found
    .filter(([word]) => word.startsWith(prefix))
    .map(([word, meaning]) => `${word}\t${meaning}\n`)
    .join("");
}

async function candidates(words: readonly string[], console: Console, program: Program): Promise<Candidates> {
  const [before, typed] = [words.slice(0, -1), words.at(-1) ?? ""];
  const { name, taken, at } = findCommand(before, program);
  if (name === undefined && typed.startsWith("-")) return flags({ ...optionsOf(program), ...withoutCommand }, before);
  if (name === undefined || name === "help") {
    const rows = program.commands
      .filter((row) => !row.name.includes(" "))
      .map(async (row) => [row.name, (await row.load()).summary] as const);
    return [...(await Promise.all(rows)), ["help", "Show help for a command"]];
  }
  const found = program.commands.find((each) => each.name === name || each.aliases?.includes(name));
  if (found === undefined) return [];
  const spec: CommandSpec = await found.load();
  const rest = [...before.slice(0, at), ...before.slice(at + taken)];
  const offered = await ofCommand(program, spec, rest, typed, console);
  const isFirst = rest.every((word) => word.startsWith("-"));
  const below = isFirst && !typed.startsWith("-") ? secondWords(program, name).map((word) => [word, ""] as const) : [];
  if (below.length === 0) return offered;
  return offered === files ? below : [...below, ...offered];
}

async function ofCommand(
  program: Program,
  spec: CommandSpec,
  before: readonly string[],
  typed: string,
  console: Console,
): Promise<Candidates> {
  const options = optionsOf(program, spec);
  const onlyArguments = before.includes("--");
  const last = onlyArguments ? undefined : valueOption(options, before.at(-1) ?? "");
  if (last !== undefined) return valuesOf(last);
  if (typed.startsWith("-") && !onlyArguments) {
    const flag = typed.split("=", 1)[0] ?? "";
    const option = typed.includes("=") ? valueOption(options, flag) : undefined;
    if (option === undefined) return flags(options, before);
    const values = valuesOf(option);
    return values === files ? values : values.map(([word, meaning]) => [`${flag}=${word}`, meaning]);
  }
  const given = before.filter((word, index) => !word.startsWith("-") && !valueOption(options, before[index - 1] ?? ""));
  const specs = Object.entries(spec.arguments);
  const final = specs.at(-1);
  const takesMore = final !== undefined && final[1].count !== "one" && final[1].count !== "maybe";
  const [name, argument] = specs[given.length] ?? (takesMore ? final : []);
  if (name === undefined) return [];
  if (argument?.choices !== undefined) return argument.choices.map((choice) => [choice, ""]);
  const names = await program.names?.(name, console, before);
  if (names === undefined) return files;
  return names.filter((each) => !given.includes(each)).map((each) => [each, ""]);
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
