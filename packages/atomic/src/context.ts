import { homedir } from "node:os";
import { type Caller, callerOf } from "@atomic/terminal/agent-at-keyboard";
import type { Page } from "@atomic/terminal/page";
import { forgetTypedKeys } from "@atomic/terminal/typed-ahead";
import { UsageError } from "@atomic/terminal/usage-error";
import { AbruptEnds, type EndListener } from "./abrupt-end.ts";
import { redirectPrints } from "./foreign-prints.ts";

export interface Output extends Page {
  readonly isTTY: boolean;
  /** How many lines a terminal shows. */
  readonly rows?: number;
  write(text: string): void;
  /** Calls back when a terminal changes its size, until the returned function is called. */
  onResize(listener: () => void): () => void;
}

interface Input {
  /** Somebody can type an answer. */
  readonly isTTY: boolean;
  /** One line, or undefined if there is none any more. Rejects when the signal fires. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The signals that end a program. */
export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** All that a command may know of the world outside of its arguments. */
export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly caller: Caller;
  now(): number;
  /** Calls back instead of ending the program, until the returned function is called. */
  onInterrupt(listener: (interrupt: Interrupt) => void): () => void;
  /** Calls back when code of others ends the program or breaks it, until the returned function is called. */
  onAbruptEnd(listener: EndListener): () => void;
  /** Ends the program at once, whatever it is at. */
  exit(code: number): void;
  /** From now on what code of others prints goes there, and not to stdout, which is for answers. */
  redirectPrints(to: (text: string) => void): void;
}

export type ContextProcess = Pick<
  NodeJS.Process,
  "env" | "cwd" | "stdin" | "stdout" | "stderr" | "on" | "off" | "exit" | "kill" | "pid"
>;

export function contextOf(program: ContextProcess): Context {
  const { env, stdout, stderr } = program;
  const ends = new AbruptEnds(program);
  return {
    // Looked up when somebody asks, because the folder may be gone, and help needs none.
    get cwd() {
      return currentFolder(() => program.cwd());
    },
    home: homedir(),
    env,
    // Also looked up then: to look at it is to open it.
    get stdin() {
      return inputFrom(program);
    },
    stdout: outputTo(stdout, env),
    stderr: outputTo(stderr, env),
    caller: callerOf("atomic"),
    now: () => Date.now(),
    onInterrupt: (listener) => listenTo(program, listener),
    onAbruptEnd: (listener) => ends.listen(listener),
    exit: (code) => {
      ends.allow();
      program.exit(code);
    },
    redirectPrints: (to) => redirectPrints(stdout, to),
  };
}

function currentFolder(cwd: () => string): string {
  try {
    return cwd();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new UsageError("the current folder does not exist any more", { hint: "Change to one that does." });
  }
}

/** Some terminals say that they have no columns at all. */
const usualColumns = 80;
const usualRows = 24;

function outputTo(stream: NodeJS.WriteStream, env: Context["env"]): Output {
  // What it is now: it may be redirected later.
  const own = stream.write.bind(stream);
  const write = (text: string): void => void own(text);
  if (stream.isTTY !== true) return { isTTY: false, colour: false, write, onResize: () => () => undefined };
  return {
    isTTY: true,
    colour: !env.NO_COLOR && env.TERM !== "dumb",
    get columns() {
      return stream.columns || usualColumns;
    },
    get rows() {
      return stream.rows || usualRows;
    },
    write,
    onResize: (listener) => {
      stream.on("resize", listener);
      return () => void stream.off("resize", listener);
    },
  };
}

function inputFrom(program: ContextProcess): Input {
  const { stdin, stderr } = program;
  return {
    isTTY: stdin.isTTY === true,
    ask: async (prompt, signal) => {
      const { createInterface } = await import("node:readline");
      if (forgetTypedKeys(stdin)) program.kill(program.pid, "SIGINT");
      const lines = createInterface({ input: stdin, output: stderr, terminal: stdin.isTTY === true });
      try {
        return await new Promise<string | undefined>((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
          // While it reads, the terminal sends Ctrl-C as a key.
          lines.on("SIGINT", () => program.kill(program.pid, "SIGINT"));
          lines.on("close", () => resolve(undefined));
          lines.question(prompt, resolve);
        });
      } finally {
        lines.close();
      }
    },
  };
}

const interrupts: readonly Interrupt[] = ["SIGINT", "SIGTERM", "SIGHUP"];

function listenTo(program: ContextProcess, listener: (interrupt: Interrupt) => void): () => void {
  const handle = (signal: NodeJS.Signals): void => listener(signal as Interrupt);
  for (const name of interrupts) program.on(name, handle);
  return () => {
    for (const name of interrupts) program.off(name, handle);
  };
}
