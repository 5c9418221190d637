// From the table of commands to commander, which reads the command line and knows what a misspelt word meant.

import type { ExitCode } from "@atomic/terminal/exit-codes";
import { formatJson } from "@atomic/terminal/json";
import { didYouMean } from "@atomic/terminal/suggest";
import { UsageError } from "@atomic/terminal/usage-error";
import { Command as Commander, type CommanderError, InvalidArgumentError, Option } from "commander";
import {
  type AnyCommand,
  type ArgumentSpec,
  type ChoiceSpec,
  type Command,
  flagOf,
  isLive,
  type OptionSpec,
  termOf,
  type ValueSpec,
} from "./command.ts";
import { commands } from "./commands.ts";
import type { Context } from "./context.ts";
import { commandHelp, rootHelp } from "./report/help.ts";
import { version } from "./version.ts";

/** Does what the arguments say. Help ends in a `CommanderError`, wrong usage in a `UsageError`. */
export async function runCli(argv: readonly string[], context: Context): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const loaded = await loadCommands(argv);
  const program = programFor(context, loaded);
  const { own, foreign } = split(argv, loaded);
  for (const command of loaded) {
    const added = addCommand(program, command);
    added.action(async (...received: readonly unknown[]) => {
      exitCode = await execute({ command, added, foreign }, context, received);
    });
  }
  await program.parseAsync(own, { from: "user" });
  return exitCode;
}

/** What comes behind `--` is for whoever takes the rest of the words. Commander would take the `--` away. */
function split(
  argv: readonly string[],
  loaded: readonly AnyCommand[],
): { own: readonly string[]; foreign: readonly string[] } {
  const at = argv.indexOf("--");
  const takesRest = loaded.length === 1 && loaded.some((command) => restOf(command) !== undefined);
  return at < 0 || !takesRest ? { own: argv, foreign: [] } : { own: argv.slice(0, at), foreign: argv.slice(at) };
}

/** Those that are called; all of them for a help that lists them and for a word that may mean one of them. */
async function loadCommands([first = ""]: readonly string[]): Promise<readonly AnyCommand[]> {
  const called = Object.entries(commands).filter(([name]) => name.split(" ")[0] === first);
  const wanted = called.length > 0 ? called : Object.entries(commands);
  return await Promise.all(wanted.map(([, load]) => load()));
}

function programFor(context: Context, loaded: readonly AnyCommand[]): Commander {
  const program = new Commander("atomic")
    .version(version(), "-v, --version")
    .helpCommand(false)
    // What stands behind a command is not for those before it: workflows may have a --version, too.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHasColors: () => context.stdout.colour,
      getErrHasColors: () => context.stderr.colour,
      outputError: () => undefined, // it is in the error that follows
    })
    .configureHelp({ formatHelp: () => rootHelp(loaded) })
    .exitOverride((error) => refuse(error));
  program
    .command("help")
    .argument("[command...]")
    .configureHelp({ formatHelp: () => rootHelp(loaded) })
    .action((words: readonly string[]) => showHelp(program, words))
    .exitOverride((error) => refuse(error));
  return program;
}

function showHelp(program: Commander, words: readonly string[]): void {
  let topic: Commander | undefined = program;
  for (const word of words) topic = topic?.commands.find((command) => command.name() === word);
  const name = words.join(" ");
  if (topic !== undefined) topic.outputHelp();
  else throw new UsageError(`unknown command '${name}'${suggestion(name, Object.keys(commands))}`, helpHint());
}

function addCommand(program: Commander, command: AnyCommand): Commander {
  const [first = "", second] = command.name.split(" ");
  const parent = second === undefined ? program : program.commands.find((each) => each.name() === first);
  const added = (parent ?? program)
    .command(second ?? first)
    .configureHelp({ formatHelp: () => commandHelp(command) })
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride((error) => refuse(error, command));
  for (const argument of Object.entries(command.arguments)) added.argument(termOf(argument));
  for (const option of Object.entries(command.options)) added.addOption(optionOf(option));
  // Of words that are somebody else's, also a wish for help is.
  if (restOf(command) !== undefined) added.allowUnknownOption().helpOption(false);
  return added.option("--json");
}

function restOf(command: AnyCommand): readonly [string, ArgumentSpec] | undefined {
  return Object.entries(command.arguments).find(([, { rest }]) => rest === true);
}

function optionOf([name, spec]: readonly [string, OptionSpec]): Option {
  const option = new Option(flagOf([name, spec]));
  if (spec.kind === "flag") return option.negate ? option : option.default(false);
  if (spec.kind === "value" && !spec.many) return option.argParser((word: string) => parse(spec, word));
  const read = (word: string): unknown => (spec.kind === "choice" ? choose(spec, word) : parse(spec, word));
  return option.default([]).argParser((word: string, before: readonly unknown[]) => [...before, read(word)]);
}

function choose({ choices }: ChoiceSpec, word: string): string {
  if (choices.includes(word)) return word;
  throw new InvalidArgumentError(`It is one of ${choices.join(", ")}${suggestion(word, choices)}.`);
}

function parse({ parse, takes }: ValueSpec<unknown>, word: string): unknown {
  const value = parse(word);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`It takes ${takes}.`);
}

interface Called {
  readonly command: AnyCommand;
  readonly added: Commander;
  /** Words that commander has not seen. */
  readonly foreign: readonly string[];
}

/** Commander hands over the arguments, then the options, then itself. */
async function execute(
  { command, added, foreign }: Called,
  context: Context,
  received: readonly unknown[],
): Promise<ExitCode> {
  const names = Object.keys(command.arguments);
  const given = Object.fromEntries(names.map((name, at) => [name, received[at]]));
  const [rest] = restOf(command) ?? [];
  if (rest !== undefined) given[rest] = [...(given[rest] as readonly string[]), ...foreign];
  if (await helpWasMeant(command, added, context, received.slice(0, names.length).flat())) return 0;
  const { json, ...options } = optionsOf(command, received[names.length] as Readonly<Record<string, unknown>>);
  // The spec that gives the input its type is the one that commander has just checked it against.
  const input = { ...given, ...options } as never;
  if (!isLive(command)) return await answer(command, context, input, json === true);
  return await command.live(context, { ...(input as object), json: json === true } as never);
}

async function answer(command: Command, context: Context, input: never, json: boolean): Promise<ExitCode> {
  const result = await command.run(context, input);
  const { report } = command;
  if (json) {
    context.stdout.write(formatJson(report.json(result)));
  } else {
    context.stdout.write(report.text(result, context.stdout));
    context.stderr.write(report.notes(result, context.stderr));
  }
  return report.exitCode(result);
}

/** Commander makes `noWait` of `--no-wait`, or rather the opposite of `wait`. */
function optionsOf(command: AnyCommand, options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read = (entry: readonly [string, OptionSpec]): unknown => {
    const option = new Option(flagOf(entry));
    const value = options[option.attributeName()];
    return option.negate ? value === false : value;
  };
  const own = Object.entries(command.options).map((entry) => [entry[0], read(entry)]);
  return { ...Object.fromEntries(own), json: options.json };
}

/** Where commander leaves unknown flags alone, it leaves this one alone, too. */
async function helpWasMeant(
  command: AnyCommand,
  added: Commander,
  context: Context,
  words: readonly unknown[],
): Promise<boolean> {
  const typed = words.filter((word) => typeof word === "string");
  if (restOf(command) === undefined || !typed.some((word) => word === "--help" || word === "-h")) return false;
  added.outputHelp();
  const about = typed.filter((word) => !word.startsWith("-"));
  if (isLive(command)) context.stdout.write((await command.helpFor?.(context, about)) ?? "");
  return true;
}

/** Commander reports help, versions and errors alike; only the errors are ours to explain. */
function refuse(error: CommanderError, command?: AnyCommand): never {
  if (error.exitCode === 0 || error.code === "commander.help") throw error;
  const message = error.message.replace(/^error: /, "").replace(/\n\(Did/, " (did");
  throw new UsageError(message, helpHint(command));
}

function helpHint(command?: AnyCommand): { readonly hint: string } {
  return { hint: `Run \`atomic ${command === undefined ? "" : `${command.name} `}--help\` to see what there is.` };
}

function suggestion(word: string, known: readonly string[]): string {
  const [best] = didYouMean(word, known);
  return best === undefined ? "" : ` (did you mean ${best}?)`;
}
