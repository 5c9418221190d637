import { isExplained } from "@atomic/durable-files/explained-error";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { CommanderError } from "commander";
import { type AbruptEnd, describeEnd } from "./abrupt-end.ts";
import { runCli } from "./cli.ts";
import { type Context, contextOf } from "./context.ts";

/** What `bin/atomic.js` calls. */
export async function start(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endQuietly);
  const context = contextOf(process);
  const unlisten = context.onAbruptEnd((end) => tellEnd(end, context));
  process.exitCode = await main(process.argv.slice(2), context);
  unlisten();
  setTimeout(leave, graceMs).unref();
}

/** While no code of others runs, whatever is thrown is our own. */
function tellEnd(end: AbruptEnd, context: Context): ExitCode {
  const text = end.kind === "threw" ? explainBug(end.error, context) : explain({ message: describeEnd(end) }, context);
  context.stderr.write(text);
  return end.kind === "threw" ? 70 : 7;
}

const graceMs = 500;

/** A workflow's code may have left something open that would keep this process for ever. What was said is heard first. */
function leave(): void {
  process.stdout.write("", () => process.stderr.write("", () => process.exit()));
}

/** The whole program: arguments in, exit code out. The only place that catches. */
export async function main(argv: readonly string[], context: Context): Promise<ExitCode> {
  try {
    return await runCli(argv, context);
  } catch (error) {
    // Commander throws when it has shown help that was asked for, and when it shows it for want of a command.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    context.stderr.write(isExplained(error) ? explain(error, context) : explainBug(error, context));
    return isExplained(error) ? (error.exitCode as ExitCode) : 70;
  }
}

/** `atomic entities | head -1`: the reader has what it wanted. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

interface Explained {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The first line says what, the others where; then what to do next. */
function explain({ message, hint }: Explained, { stderr }: Context): string {
  const [first = "", ...others] = message.split("\n").map(safeLine);
  const lead = `${painter(stderr.colour)("red", "atomic:")} `;
  const where = others.map((line) => paragraph(line, stderr, { lead: "  ", indent: "    " })).join("");
  const next = hint === undefined || hint === "" ? [] : hint.split("\n");
  const what = paragraph(first, stderr, { lead, indent: "  " });
  return what + where + next.map((line) => paragraph(line, stderr, { indent: "  " })).join("");
}

function explainBug(error: unknown, { stderr }: Context): string {
  const stack = (error instanceof Error && error.stack) || String(error);
  const lines = stack.split("\n").map((line) => safe`  ${line}`);
  const paint = painter(stderr.colour);
  return `${paint("red", "atomic:")} internal error: this is a bug in atomic. Please report it with these lines:\n${lines.join("\n")}\n`;
}
