import { type Console, type ConsoleProcess, consoleOf, endByHangup } from "@atomic/terminal/console";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { type Failure, writeFailure } from "@atomic/terminal/failure";
import type { Output } from "@atomic/terminal/process-output";
import { shellLine } from "@atomic/terminal/shell-words";
import { shownRunner } from "@atomic/terminal/shown-runner";
import { AbruptEnds, type EndListener, outliveReader, redirectPrints } from "./foreign-code.ts";

/** All that a command may know of the world outside of its arguments. */
export interface AtomicContext extends Console {
  now(): number;
  /** Aborted by a signal that came before a run was there to be stopped. */
  readonly interrupted?: AbortSignal;
  /** Takes away the line that shows that the command is at work, before it asks something. */
  quiet?(): void;
  /** Calls back when code of others ends the program or breaks it, until the returned function is called. */
  onAbruptEnd(listener: EndListener): () => void;
  /** Writes why the program ends when it is too late to throw. Returns the exit code. */
  fail(failure: Failure): ExitCode;
  /** The file of the workflow whose code runs in this process. Once set, an uncaught error is the workflow's. */
  readonly loaded: { workflow?: string };
  /** Ends the program at once, whatever it is at. */
  exit(code: number): void;
  /** From now on what code of others prints goes there, and not to stdout, which is for answers. */
  redirectPrints(to: (text: string) => void): void;
}

/** @param argv What follows the program's name. */
export function contextOf(program: ConsoleProcess, argv: readonly string[]): AtomicContext {
  const json = argv.includes("--json");
  const console = consoleOf(program, "atomic");
  const ends = new AbruptEnds(program);
  // Looked for when a command is shown, which then finds the same runs.
  const runner = {
    get: () => {
      const words = [engineIn(argv), shownRunner(process.argv[1] ?? "", console.env, published)];
      return words.filter((word) => word !== undefined).join(" ") || undefined;
    },
  };
  const withRunner = (output: Output): Output => Object.create(output, { runner });
  return {
    // Looked up when it is needed, because the folder may be gone, and help needs none.
    get cwd() {
      return console.cwd;
    },
    get home() {
      return console.home;
    },
    env: console.env,
    stdin: console.stdin,
    stdout: withRunner(console.stdout),
    stderr: withRunner(console.stderr),
    clock: console.clock,
    signals: console.signals,
    caller: console.caller,
    loaded: {},
    now: () => Date.now(),
    onAbruptEnd: (listener) => ends.listen(listener),
    fail: (failure) => {
      writeFailure(failure, { program: "atomic", json }, console);
      return failure.exitCode as ExitCode;
    },
    exit: (code) => {
      ends.allow();
      if (code === signalCodes.SIGHUP) endByHangup(program);
      else program.exit(code);
    },
    redirectPrints: (to) => {
      redirectPrints(program.stdout, to);
      outliveReader(program.stderr);
    },
  };
}

const published = { program: "atomic", packageName: "@atomic/cli" };

function engineIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === "--engine" || word.startsWith("--engine="));
  const url = argv[at]?.split("=").slice(1).join("=") || argv[at + 1];
  return at === -1 || url === undefined ? undefined : `ATOMIC_ENGINE=${shellLine([url])}`;
}
