import type { Console } from "./cli/console.ts";
import { runCli } from "./cli.ts";
import { type OperationTable, operations } from "./operations.ts";
import { consoleOf } from "./process-context.ts";

/** The process: its arguments in, its exit code out. */
export async function start(table: OperationTable = operations): Promise<void> {
  process.exitCode = await main(process.argv.slice(2), consoleOf(process), table);
  // What an interrupted operation has left running must not keep the program alive.
  if (process.exitCode > 128) process.exit();
}

/** The whole program: arguments in, exit code out. The only place that catches. */
export async function main(argv: readonly string[], console: Console, table: OperationTable): Promise<number> {
  try {
    return await runCli(argv, console, table);
  } catch (error) {
    return await tell(error, argv, console);
  }
}

async function tell(error: unknown, argv: readonly string[], console: Console): Promise<number> {
  const { failureOf, formatFailure } = await import("./report/error.ts");
  const failure = failureOf(error);
  if (asksForJson(argv)) {
    const { formatFailureAsJson } = await import("./report/json.ts");
    console.stdout.write(formatFailureAsJson(failure));
  } else {
    const { shortPathsIn } = await import("./report/short-paths.ts");
    console.stderr.write(formatFailure(failure, console.stderr, shortPathsIn(console)));
  }
  return failure.exitCode;
}

/** Also of a command line that cannot be understood. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? undefined : end).includes("--json");
}
