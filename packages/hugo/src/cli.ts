// From the words behind `hugo` to an operation of the table, its help or its answer.

import type { Console } from "./cli/console.ts";
import { execute } from "./cli/execute.ts";
import { everywhere, withoutCommand } from "./cli/flags.ts";
import { readCommandLine, readWords, refuser, suggestion } from "./cli/read-command-line.ts";
import type { Operation } from "./operation.ts";
import { findOperation, type OperationRow, operations } from "./operations.ts";

/** Does what the arguments say. @throws {UsageError} if nobody can say what that is. */
export async function runCli(argv: readonly string[], console: Console): Promise<number> {
  const { before, name, rest } = splitAtCommand(argv);
  if (name === undefined) return await withoutAnyCommand(before, console);
  if (name === "help") return await help([...before, ...rest], console);
  if (name === "__complete") return await completeFor(rest, console);
  const operation = await rowOf(name).load();
  const line = readCommandLine(operation, [...before, ...rest]);
  return line.help ? await showHelp(console, operation) : await execute(operation, line, console);
}

interface Split {
  readonly before: readonly string[];
  readonly name: string | undefined;
  readonly rest: readonly string[];
}

/** No flag that may stand before the command has a value, so the command is the first word without a dash. */
function splitAtCommand(argv: readonly string[]): Split {
  const at = argv.findIndex((word) => !word.startsWith("-"));
  if (at === -1) return { before: argv, name: undefined, rest: [] };
  return { before: argv.slice(0, at), name: argv[at], rest: argv.slice(at + 1) };
}

async function withoutAnyCommand(words: readonly string[], console: Console): Promise<number> {
  const refuse = refuser();
  const { given } = readWords(words, { ...everywhere, ...withoutCommand }, refuse);
  if (given.has("help")) return await showHelp(console);
  if (given.has("version")) return await showVersion(console);
  if (words.length > 0) return refuse("a command is missing");
  const { rootHelp } = await import("./report/help.ts");
  console.stderr.write(rootHelp(await loadAll(), console.stderr));
  return 2;
}

async function showVersion({ stdout }: Console): Promise<number> {
  const { version } = await import("./version.ts");
  stdout.write(`${version()}\n`);
  return 0;
}

async function help(words: readonly string[], console: Console): Promise<number> {
  const refuse = refuser();
  const [topic, extra] = readWords(words, everywhere, refuse).positionals;
  if (extra !== undefined) refuse(`help is about one command; "${extra}" is one too many`);
  return await (topic === undefined || topic === "help"
    ? showHelp(console)
    : showHelp(console, await rowOf(topic).load()));
}

async function showHelp({ stdout }: Console, operation?: Operation): Promise<number> {
  const { commandHelp, rootHelp } = await import("./report/help.ts");
  stdout.write(operation === undefined ? rootHelp(await loadAll(), stdout) : commandHelp(operation, stdout));
  return 0;
}

async function completeFor(words: readonly string[], console: Console): Promise<number> {
  const { complete } = await import("./cli/complete.ts");
  console.stdout.write(await complete(words, console));
  return 0;
}

function rowOf(name: string): OperationRow {
  const names = (): string[] => [...operations.map((row) => row.name), "help"];
  return findOperation(name) ?? refuser()(`unknown command "${name}"${suggestion(name, names())}`);
}

async function loadAll(): Promise<{ readonly row: OperationRow; readonly operation: Operation }[]> {
  return await Promise.all(operations.map(async (row) => ({ row, operation: await row.load() })));
}
