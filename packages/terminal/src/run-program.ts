// What is done with the words behind a program's name.
import {
  type AnyCommand,
  type CommandRow,
  type CommandSpec,
  findCommand,
  optionsOf,
  type Program,
  secondWords,
  withoutCommand,
} from "./command.ts";
import { type Console, consoleOf, endByHangup, Interrupted, interruptible } from "./console.ts";
import { signalCodes } from "./exit-codes.ts";
import { loadedByBun } from "./loaded-by-bun.ts";
import type { Page } from "./page.ts";
import type { Output } from "./process-output.ts";
import { workLine } from "./progress-line.ts";
import { type CommandLine, readCommandLine, readWords, refuseExtra, refuser, suggestion } from "./read-command-line.ts";

/**
 * Runs the program in this process: its arguments in, its exit code out.
 *
 * @param shown How a shell finds the program, if not by its name.
 */
export async function start(program: Program, shown: Pick<Page, "runner" | "named"> = {}): Promise<void> {
  const found = consoleOf(process, program.name);
  // Not a copy, because that would look up the current folder.
  const console: Console = Object.create(found, {
    stdout: { value: withShown(found.stdout, shown) },
    stderr: { value: withShown(found.stderr, shown) },
  });
  const argv = process.argv.slice(2);
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, async (error: unknown) => process.exit(await reportFailure(error, argv, console, program)));
  }
  const loaded = loadedByBun(program.name, process);
  const code = await (loaded === undefined
    ? runProgram(program, argv, console)
    : reportFailure(loaded, argv, console, program));
  process.exitCode = code;
  if (code === signalCodes.SIGHUP) endByHangup(process);
  // What an interrupted command has left running must not keep the program alive.
  if (code > 128) process.exit();
}

/** Not a copy, because a terminal changes its size. */
function withShown(output: Output, { runner, named }: Pick<Page, "runner" | "named">): Output {
  return Object.create(output, { runner: { value: runner }, named: { value: named } });
}

/** The whole program: arguments in, exit code out. The only place that catches. */
export async function runProgram(program: Program, argv: readonly string[], console: Console): Promise<number> {
  let mutates = false;
  try {
    if (argv[0] === "__complete") {
      const { complete } = await import("./complete.ts");
      console.stdout.write(await complete(argv.slice(1), console, program));
      return 0;
    }
    const { name, at, taken } = findCommand(argv, program);
    if (name === undefined) {
      const refuse = refuser(program.name);
      const { given } = readWords(argv, { ...optionsOf(program), ...withoutCommand }, refuse);
      if (given.has("help")) return await showHelp(program, console.stdout, given.has("json"));
      if (given.has("version")) {
        const version = await program.version();
        const json = `${JSON.stringify({ ok: true, version }, null, 2)}\n`;
        console.stdout.write(given.has("json") ? json : `${version}\n`);
        return 0;
      }
      if (argv.length > 0) return refuse("missing command");
      const code = await program.withoutWords?.(console);
      if (code !== undefined) return code;
      await showHelp(program, console.stderr);
      return 2;
    }
    const words = [...argv.slice(0, at), ...argv.slice(at + taken)];
    if (name === "help") {
      const refuse = refuser(program.name);
      const { positionals, given } = readWords(words, optionsOf(program), refuse);
      const json = given.has("json");
      if (positionals.length === 0 || positionals[0] === "help") return await showHelp(program, console.stdout, json);
      const topic = findCommand(positionals, program);
      const asked = topic.name ?? "";
      const extra = positionals[topic.taken];
      if (extra !== undefined) {
        refuseExtra(extra, { name: asked, next: extra, secondWords: secondWords(program, asked), refuse });
      }
      return await showCommand(program, await rowOf(program, asked).load(), { json }, console);
    }
    const command = await rowOf(program, name).load();
    const line = readCommandLine(command, words, {
      options: optionsOf(program, command),
      unset: { ...program.options, ...program.optionsOfChanges },
      secondWords: secondWords(program, command.name),
      refuse: refuser(program.name, command.name),
    });
    if (line.help) return await showCommand(program, command, line, console);
    const { json, input } = line;
    const { stdout, stderr } = console;
    mutates = command.mutates === true;
    return await interruptible(console, async (signal) => {
      const showWork = (): (() => void) =>
        workLine(console, json || "live" in command, `${program.name} ${command.name}`);
      const { context, quiet = showWork() } = program.open(console, { signal, json, input, mutates, showWork });
      try {
        // The specs that give the input its type are those that the words were just checked against.
        if ("live" in command) return await command.live(context, { ...input, json } as never);
        const result = await command.run(context, input as never);
        quiet();
        const { report } = command;
        const exitCode = report.exitCode(result);
        if (json) {
          const { formatAnswer } = await import("./json.ts");
          stdout.write(formatAnswer(result, report));
        } else {
          stdout.write(report.text(result, stdout));
          stderr.write(report.notes(result, stderr));
        }
        return exitCode;
      } finally {
        quiet();
      }
    });
  } catch (error) {
    return await reportFailure(error, argv, console, program, mutates);
  }
}

/** @param mutates The command could have changed something, so users want to know whether it did. */
export async function reportFailure(
  error: unknown,
  argv: readonly string[],
  console: Console,
  program: Pick<Program, "name" | "shortPaths" | "whatChanged">,
  mutates = false,
): Promise<number> {
  const { failureOf, sayingWhatChanged, withoutChanges, writeFailure } = await import("./failure.ts");
  const isChange = mutates || error instanceof Interrupted;
  const what = failureOf(error, program.name);
  // Programs that do not follow their changes say it where it matters.
  const failure =
    program.whatChanged === undefined
      ? what
      : isChange
        ? sayingWhatChanged(what, await program.whatChanged(console))
        : withoutChanges(what);
  // Also if the command line cannot be understood.
  const end = argv.indexOf("--");
  const json = argv.slice(0, end === -1 ? undefined : end).includes("--json");
  // What went wrong may be the very thing that paths are shortened by, the current folder for one.
  const shorten = json ? undefined : await program.shortPaths?.(console).catch(() => undefined);
  writeFailure(failure, { program: program.name, json, ...(shorten !== undefined && { shorten }) }, console);
  return failure.exitCode;
}

function rowOf(program: Program, name: string): CommandRow<unknown> {
  const found = program.commands.find((row) => row.name === name || row.aliases?.includes(name));
  if (found !== undefined) return found;
  const names = [...program.commands.map((row) => row.name), "help"];
  const meant = name === "version" ? ' (did you mean "--version"?)' : suggestion(name, names);
  return refuser(program.name)(`unknown command "${name}"${meant}`);
}

async function showHelp(program: Program, output: Output, json = false): Promise<number> {
  const [{ rootHelp, rootHelpJson }, { formatJson }] = await Promise.all([import("./help.ts"), import("./json.ts")]);
  const commands = await Promise.all(
    program.commands.map(async (row) => ({ group: row.group ?? "commands", spec: (await row.load()) as CommandSpec })),
  );
  const topic = {
    ...program,
    groups: program.groups ?? { commands: "Commands" },
    commands,
    everywhere: optionsOf(program),
    withoutCommand,
    remarks: program.remarks ?? [],
    isCommandOptional: program.withoutWords !== undefined,
  };
  output.write(json ? formatJson({ ok: true, ...rootHelpJson(topic) }) : rootHelp(topic, output));
  return 0;
}

/** If the command itself was called with --help, its words may say more about what is wanted. */
async function showCommand(
  program: Program,
  command: AnyCommand<unknown>,
  { json, input = {}, words = [] }: Pick<CommandLine, "json"> & Partial<CommandLine>,
  console: Console,
): Promise<number> {
  const [{ commandHelp, commandHelpJson }, { formatJson }] = await Promise.all([
    import("./help.ts"),
    import("./json.ts"),
  ]);
  const { stdout } = console;
  const helpFor = "live" in command && words.length > 0 ? command.helpFor : undefined;
  return await interruptible(console, async (signal) => {
    const session = { signal, json, input, mutates: false, showWork: () => () => undefined };
    const more = await helpFor?.(program.open(console, session).context, words, json);
    const topic = { program: program.name, spec: command as CommandSpec, options: optionsOf(program, command), more };
    stdout.write(json ? formatJson({ ok: true, ...commandHelpJson(topic) }) : commandHelp(topic, stdout));
    return 0;
  });
}
