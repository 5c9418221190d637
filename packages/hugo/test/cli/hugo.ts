// The program, in this process: same arguments, same exit code, and what it writes is kept.
import type { AgentAtKeyboard } from "@atomic/terminal/agent-at-keyboard";
import type { Console, ConsoleTimers } from "@atomic/terminal/console";
import type { Interrupt } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import type { Output } from "@atomic/terminal/process-output";
import type { HugoCommands } from "../../src/commands.ts";
import { main } from "../../src/main.ts";
import { sampleOperations } from "./sample-commands.ts";

export interface ConsoleOptions {
  /** A terminal of this width; without it, a pipe. */
  readonly columns?: number;
  readonly colour?: boolean;
  readonly cwd?: string;
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the user types, line by line; after the last line, the input ends. */
  readonly answers?: readonly string[];
  readonly table?: HugoCommands;
  /** Who runs it, if not a user. */
  readonly agent?: AgentAtKeyboard;
  /** How a shell finds it, if not as `hugo`. */
  readonly shown?: Pick<Page, "runner" | "named">;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function hugo(argv: readonly string[], surroundings: ConsoleOptions = {}): Promise<Ran> {
  const io = testConsole(surroundings, argv);
  const code = await main(argv, io.console, surroundings.table ?? sampleOperations);
  return { code, stdout: io.stdout(), stderr: io.stderr() };
}

/** A console with everything in the hands of a test. */
export interface TestConsole {
  readonly console: Console;
  /** Resolves when the program listens. */
  readonly listening: Promise<void>;
  stdout(): string;
  stderr(): string;
  send(interrupt: Interrupt): void;
  /** Lets time pass. */
  pass(milliseconds: number): void;
}

export function testConsole(
  {
    columns,
    colour = false,
    cwd = "/nowhere",
    home = "/home/me",
    env = {},
    answers,
    agent,
    shown,
  }: ConsoleOptions = {},
  argv: readonly string[] = [],
): TestConsole {
  const written = { stdout: "", stderr: "" };
  const lines = [...(answers ?? [])];
  const isTTY = columns !== undefined;
  const output = (name: keyof typeof written): Output => ({
    isTTY,
    colour,
    ...(columns !== undefined && { columns }),
    ...shown,
    write: (text) => {
      written[name] += text;
    },
  });
  const time = manualClock();
  const signals = manualSignals();
  const console: Console = {
    cwd,
    home,
    env,
    stdin: {
      isTTY: isTTY && answers !== undefined,
      ask: async (prompt, to) => {
        to.write(prompt);
        return lines.shift();
      },
    },
    stdout: output("stdout"),
    stderr: output("stderr"),
    clock: time.clock,
    signals: signals.signals,
    caller: { commandLine: ["hugo", ...argv], agent: () => agent },
  };
  return {
    console,
    listening: signals.listening,
    send: signals.send,
    pass: time.pass,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
}

function manualClock(): { readonly clock: ConsoleTimers; pass(milliseconds: number): void } {
  let now = 0;
  const waiting = new Set<{ readonly at: number; readonly call: () => void }>();
  return {
    clock: {
      after: (milliseconds, call) => {
        const entry = { at: now + milliseconds, call };
        waiting.add(entry);
        return () => waiting.delete(entry);
      },
    },
    pass: (milliseconds) => {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        waiting.delete(next);
        now = next.at;
        next.call();
      }
      now = end;
    },
  };
}

function manualSignals(): Pick<Console, "signals"> & Pick<TestConsole, "listening" | "send"> {
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const listeners = new Set<(interrupt: Interrupt) => void>();
  return {
    listening,
    send: (interrupt) => {
      for (const hear of listeners) hear(interrupt);
    },
    signals: {
      listen: (hear) => {
        listeners.add(hear);
        resolve();
        return () => listeners.delete(hear);
      },
    },
  };
}
