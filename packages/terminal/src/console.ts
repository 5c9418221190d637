// Everything of the process that a program may touch. Tests pass their own.
import { ExplainedError } from "@atomic/durable-files/explained-error";
import { agentAtKeyboard, type Caller, realSurroundings } from "./agent-at-keyboard.ts";
import { type Interrupt, signalCodes } from "./exit-codes.ts";
import { homeFolder } from "./home-folder.ts";
import { type Keyboard, keyboardOf } from "./keyboard.ts";
import { type Output, outputTo } from "./process-output.ts";
import { UsageError } from "./refusal.ts";

/** Time, for those who wait for a moment to come. None of it keeps the program alive. */
export interface ConsoleTimers {
  /** Calls once, after so many milliseconds. Returns the way to cancel that. */
  after(milliseconds: number, call: () => void): () => void;
}

/** Ctrl-C, SIGTERM, and a terminal that is closed. */
export interface Signals {
  /** Instead of ending the program. Only the last one that listens is called. Returns the way to stop. */
  listen(hear: (interrupt: Interrupt) => void): () => void;
}

export interface Console {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Keyboard;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: ConsoleTimers;
  readonly signals: Signals;
  /** Who runs the program: a person, or an agent. */
  readonly caller: Caller;
}

export type ConsoleProcess = Pick<
  NodeJS.Process,
  | "env"
  | "cwd"
  | "stdout"
  | "stderr"
  | "stdin"
  | "on"
  | "off"
  | "removeAllListeners"
  | "exit"
  | "kill"
  | "pid"
  | "platform"
>;

/** Standard input is opened when it is read from, and so are the streams: opening takes longer than a short command. */
export function consoleOf(process: ConsoleProcess, program: string): Console {
  const { env } = process;
  const { signals, hangUp } = signalsOf(process);
  return {
    // Looked up when it is needed, because the folder may be gone, and help needs none.
    get cwd() {
      try {
        return process.cwd();
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
        throw new UsageError("the current folder no longer exists", { hint: "Change to a folder that exists." });
      }
    },
    get home() {
      return homeFolder(env);
    },
    env,
    stdin: keyboardOf(process, hangUp),
    stdout: outputTo({ fd: 1, env, hangUp, stream: () => process.stdout }),
    stderr: outputTo({ fd: 2, env, hangUp, stream: () => process.stderr }),
    clock,
    signals,
    caller: {
      commandLine: [program, ...globalThis.process.argv.slice(2)],
      agent: () => agentAtKeyboard(realSurroundings()),
    },
  };
}

const clock: ConsoleTimers = {
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** `hangUp`: the terminal is gone, but the system did not say so, as for a program that was started with `nohup`. */
function signalsOf(process: ConsoleProcess): { readonly signals: Signals; hangUp(): void } {
  const listeners: ((interrupt: Interrupt) => void)[] = [];
  const names = Object.keys(signalCodes) as Interrupt[];
  const deliver = (signal: NodeJS.Signals): void => listeners.at(-1)?.(signal as Interrupt);
  let isGone = false;
  return {
    signals: {
      listen: (hear) => {
        if (listeners.length === 0) for (const name of names) process.on(name, deliver);
        listeners.push(hear);
        return () => {
          const at = listeners.lastIndexOf(hear);
          if (at === -1) return;
          listeners.splice(at, 1);
          if (listeners.length === 0) for (const name of names) process.off(name, deliver);
        };
      },
    },
    hangUp: () => {
      if (isGone) return;
      isGone = true;
      if (listeners.length > 0) deliver("SIGHUP");
      else endByHangup(process);
    },
  };
}

/**
 * Ends this process as SIGHUP does, so shells report 129. Without a terminal Node cannot exit by itself: it aborts
 * when it fails to reset the modes of one that is gone.
 */
export function endByHangup(process: ConsoleProcess): void {
  if (process.platform === "win32") process.exit(signalCodes.SIGHUP);
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}

/**
 * How long a command that was asked to end may take. A second Ctrl-C does not wait for it. What the command cannot finish,
 * the next one repairs.
 */
const grace = 3000;

/** The command ended, or could not, because of a signal. */
export class Interrupted extends ExplainedError {
  override readonly name = "Interrupted";
  readonly interrupt: Interrupt;
  readonly #exitCode: number;

  constructor(interrupt: Interrupt, hint = "Run the command again to continue.") {
    super("interrupted", { message: "stopped before it finished", hint });
    this.interrupt = interrupt;
    this.#exitCode = signalCodes[interrupt];
  }

  override get exitCode(): number {
    return this.#exitCode;
  }
}

/**
 * Runs something that a signal can end. What is done in spite of the signal counts as done.
 *
 * @throws {Interrupted} if it ended because of the signal.
 */
export async function interruptible(
  { signals, clock }: Pick<Console, "signals" | "clock">,
  run: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const abort = new AbortController();
  return await new Promise((resolve, reject) => {
    let interrupt: Interrupt | undefined;
    const stopListening = signals.listen((received) => {
      if (interrupt !== undefined) {
        end(() => reject(new Interrupted(interrupt ?? received)));
        return;
      }
      interrupt = received;
      abort.abort(new Interrupted(received));
      clock.after(grace, () => end(() => reject(new Interrupted(received))));
    });
    const end = (settle: () => void): void => {
      stopListening();
      settle();
    };
    run(abort.signal).then(
      (code) => end(() => resolve(interrupt === undefined || code === 0 ? code : signalCodes[interrupt])),
      // A command that stopped by itself may know more than that it was stopped.
      (error) =>
        end(() =>
          reject(
            interrupt === undefined
              ? error
              : new Interrupted(interrupt, error instanceof Interrupted ? error.hint : undefined),
          ),
        ),
    );
  });
}
