// From the table of commands to commander, which reads the command line and knows what a misspelt word meant.
import { didYouMean } from "@atomic/workflows/suggest";
import { formatJson } from "@atomic/workflows/terminal/json";
import { Command as Commander, type CommanderError, InvalidArgumentError, Option } from "commander";
import { type ChoiceSpec, type Command, flagOf, type OptionSpec, termOf } from "./command.ts";
import { commands } from "./commands.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-code.ts";
import { commandHelp, rootHelp } from "./report/help.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** Does what the arguments say. Help ends in a `CommanderError`, wrong usage in a `UsageError`. */
export async function runCli(argv: readonly string[], context: Context): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const loaded = await loadCommands(argv);
  const program = programFor(context, loaded);
  for (const command of loaded) {
    addCommand(program, command).action(async (...received: readonly unknown[]) => {
      exitCode = await execute(command, context, received);
    });
  }
  await program.parseAsync(argv, { from: "user" });
  return exitCode;
}

/** The one that is called; all of them for a help that lists them and for a word that may mean one of them. */
async function loadCommands([name = ""]: readonly string[]): Promise<readonly Command[]> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return await Promise.all(load === undefined ? Object.values(commands).map((each) => each()) : [load()]);
}

function programFor(context: Context, loaded: readonly Command[]): Commander {
  const program = new Commander("atomic")
    .version(version(), "-v, --version")
    .helpCommand(false)
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
    .argument("[command]")
    .configureHelp({ formatHelp: () => rootHelp(loaded) })
    .action((name?: string) => showHelp(program, name))
    .exitOverride((error) => refuse(error));
  return program;
}

function showHelp(program: Commander, name: string | undefined): void {
  const topic = name === undefined ? program : program.commands.find((command) => command.name() === name);
  if (topic !== undefined) topic.outputHelp();
  else throw new UsageError(`unknown command '${name}'${suggestion(name ?? "", Object.keys(commands))}`, helpHint());
}

function addCommand(program: Commander, command: Command): Commander {
  const added = program
    .command(command.name)
    .configureHelp({ formatHelp: () => commandHelp(command) })
    .exitOverride((error) => refuse(error, command));
  for (const argument of Object.entries(command.arguments)) added.argument(termOf(argument));
  for (const option of Object.entries(command.options)) added.addOption(optionOf(option));
  return added.option("--json");
}

function optionOf([name, spec]: readonly [string, OptionSpec]): Option {
  const option = new Option(flagOf([name, spec]));
  if (spec.kind === "flag") return option.default(false);
  return option.default([]).argParser((word: string, before: readonly string[]) => [...before, choose(spec, word)]);
}

function choose({ choices }: ChoiceSpec, word: string): string {
  if (choices.includes(word)) return word;
  throw new InvalidArgumentError(`It is one of ${choices.join(", ")}${suggestion(word, choices)}.`);
}

/** Commander hands over the arguments, then the options, then itself. */
async function execute(command: Command, context: Context, received: readonly unknown[]): Promise<ExitCode> {
  const names = Object.keys(command.arguments);
  const { json, ...options } = received[names.length] as Readonly<Record<string, string[] | boolean>>;
  const given = Object.fromEntries(names.map((name, at) => [name, received[at] as string | undefined]));
  // The spec that gives the input its type is the one that commander has just checked it against.
  const result = await command.run(context, { ...given, ...options } as never);
  const { report } = command;
  if (json === true) {
    context.stdout.write(formatJson(report.json(result)));
  } else {
    context.stdout.write(report.text(result, context.stdout));
    context.stderr.write(report.notes(result, context.stderr));
  }
  return report.exitCode(result);
}

/** Commander reports help, versions and errors alike; only the errors are ours to explain. */
function refuse(error: CommanderError, command?: Command): never {
  if (error.exitCode === 0 || error.code === "commander.help") throw error;
  const message = error.message.replace(/^error: /, "").replace(/\n\(Did/, " (did");
  throw new UsageError(message, helpHint(command));
}

function helpHint(command?: Command): { readonly hint: string } {
  return { hint: `Run \`atomic ${command === undefined ? "" : `${command.name} `}--help\` to see what there is.` };
}

function suggestion(word: string, known: readonly string[]): string {
  const [best] = didYouMean(word, known);
  return best === undefined ? "" : ` (did you mean ${best}?)`;
}
