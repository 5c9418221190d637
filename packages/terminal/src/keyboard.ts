// Where answers come from. Keys that were typed before a question is shown do not answer it.
import type { Output } from "./process-output.ts";
import { forgetTypedKeys } from "./typed-ahead.ts";

export interface Keyboard {
  /** You can type an answer. */
  readonly isTTY: boolean;
  /** Shows the prompt and waits for one line; undefined at the end of the input, or after an abort. */
  ask(prompt: string, output: Pick<Output, "write">, signal: AbortSignal): Promise<string | undefined>;
}

type KeyboardProcess = Pick<NodeJS.Process, "stdin" | "kill" | "pid">;

export function keyboardOf(process: KeyboardProcess, hangUp: () => void): Keyboard {
  return {
    get isTTY() {
      return process.stdin.isTTY === true;
    },
    ask: async (prompt, output, signal) => {
      // While the keys are read, the terminal delivers Ctrl-C as one of them.
      if (forgetTypedKeys(process.stdin)) process.kill(process.pid, "SIGINT");
      if (signal.aborted) return undefined;
      output.write(prompt);
      return await readLine(process.stdin, signal, hangUp);
    },
  };
}

/** The terminal itself takes care of editing the line, and of Ctrl-C. */
async function readLine(
  stdin: NodeJS.ReadStream & { readonly fd: 0 },
  signal: AbortSignal,
  hangUp: () => void,
): Promise<string | undefined> {
  const done = new AbortController();
  const line = new Promise<string | undefined>((resolve) => {
    let typed = "";
    const onData = (part: Buffer | string): void => {
      typed += part;
      const end = typed.indexOf("\n");
      if (end !== -1) resolve(typed.slice(0, end));
    };
    const nothing = (): void => resolve(undefined);
    const failed = (): void => {
      // The terminal is gone, and with it whoever could answer.
      if (stdin.isTTY === true) hangUp();
      resolve(undefined);
    };
    // Ctrl-D, or the end of a terminal that is gone: its signal may come later than this.
    const ended = (): void => (process.getBuiltinModule("node:tty").isatty(stdin.fd) ? nothing() : failed());
    stdin.on("data", onData).on("end", ended).on("error", failed);
    done.signal.addEventListener("abort", () => stdin.off("data", onData).off("end", ended).off("error", failed));
    signal.addEventListener("abort", nothing, { signal: done.signal });
  });
  try {
    stdin.resume();
    return await line;
  } finally {
    done.abort();
    stdin.pause();
  }
}
