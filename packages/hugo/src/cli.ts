// From the words behind `hugo` to an operation of the table, its help or its answer.

import type { Console, Output } from "./cli/console.ts";
import { execute } from "./cli/execute.ts";
import { everywhere, withoutCommand } from "./cli/flags.ts";
import { readCommandLine, readWords, refuser, suggestion } from "./cli/read-command-line.ts";
import type { Operation } from "./operation.ts";
import { findOperation, type OperationRow, type OperationTable } from "./operations.ts";

/** Does what the arguments say. @throws {UsageError} if nobody can say what that is. */
export async function runCli(argv: readonly string[], console: Console, table: OperationTable): Promise<number> {
  const { before, name, rest } = splitAtCommand(argv);
  if (name === undefined) return await withoutAnyCommand(before, console, table);
  if (name === "help") return await help([...before, ...rest], console, table);
  if (name === "__complete") return await completeFor(rest, console, table);
  const operation = await rowOf(name, table).load();
  const line = readCommandLine(operation, [...before, ...rest]);
  return line.help ? await showOperation(console, operation) : await execute(operation, line, console);
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

async function withoutAnyCommand(words: readonly string[], console: Console, table: OperationTable): Promise<number> {
  const refuse = refuser();
  const { given } = readWords(words, { ...everywhere, ...withoutCommand }, refuse);
  if (given.has("help")) return await showHelp(console.stdout, table);
  if (given.has("version")) return await showVersion(console, given.has("json"));
  if (words.length > 0) return refuse("a command is missing");
  await showHelp(console.stderr, table);
  return 2;
}

async function showVersion({ stdout }: Console, isJson: boolean): Promise<number> {
  const { version } = await import("./version.ts");
  stdout.write(isJson ? `${JSON.stringify({ ok: true, version: version() }, null, 2)}\n` : `${version()}\n`);
  return 0;
}

async function help(words: readonly string[], console: Console, table: OperationTable): Promise<number> {
  const refuse = refuser();
  const [topic, extra] = readWords(words, everywhere, refuse).positionals;
  if (extra !== undefined) refuse(`help is about one command; "${extra}" is one too many`);
  if (topic === undefined || topic === "help") return await showHelp(console.stdout, table);
  return await showOperation(console, await rowOf(topic, table).load());
}

async function showHelp(output: Output, table: OperationTable): Promise<number> {
  const { rootHelp } = await import("./report/help.ts");
  const loaded = await Promise.all(table.map(async (row) => ({ row, operation: await row.load() })));
  output.write(rootHelp(loaded, output));
  return 0;
}

async function showOperation({ stdout }: Console, operation: Operation): Promise<number> {
  const { commandHelp } = await import("./report/help.ts");
  stdout.write(commandHelp(operation, stdout));
  return 0;
}

async function completeFor(words: readonly string[], console: Console, table: OperationTable): Promise<number> {
  const { complete } = await import("./cli/complete.ts");
  console.stdout.write(await complete(words, console, table));
  return 0;
}

function rowOf(name: string, table: OperationTable): OperationRow {
  const names = (): string[] => [...table.map((row) => row.name), "help"];
  return findOperation(name, table) ?? refuser()(`unknown command "${name}"${suggestion(name, names())}`);
}
