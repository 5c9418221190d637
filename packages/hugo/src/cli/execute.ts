import type { Operation } from "../operation.ts";
import { terminalPerson } from "../terminal-person.ts";
import type { Console } from "./console.ts";
import { interruptible } from "./interruption.ts";
import type { CommandLine } from "./read-command-line.ts";

/** Runs an operation for whoever is at the terminal, and writes what it found or did. */
export async function execute(operation: Operation, line: CommandLine, console: Console): Promise<number> {
  const { stdout, stderr, home, env } = console;
  return await interruptible(console, async (signal) => {
    const person = terminalPerson(console, signal);
    try {
      const context = { cwd: console.cwd, home, env, person, signal };
      // The specs that give the input its type are those that the words were just checked against.
      const result = await operation.run(context, line.input as never);
      person.quiet();
      const { report } = operation;
      if (line.json) {
        const { formatAnswer } = await import("../report/json.ts");
        stdout.write(formatAnswer(result, report));
      } else {
        stdout.write(report.text(result, stdout));
        stderr.write(report.notes(result, stderr));
      }
      return report.exitCode(result);
    } finally {
      person.quiet();
    }
  });
}
