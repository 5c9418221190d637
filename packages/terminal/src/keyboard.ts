// Where answers come from. Keys that were typed before a question is shown do not answer it.
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Output } from "./process-output.ts";
import { Refusal } from "./refusal.ts";

export interface Keyboard {
  /** You can type an answer. */
  readonly isTTY: boolean;
  /** Shows the prompt and waits for one line; undefined at the end of the input, or after an abort. */
  ask(prompt: string, output: Pick<Output, "write">, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Passes on keys as they are pressed, which the terminal then does not show; undefined at the end of the input. Ctrl-C
   * is not passed on: it stops the program as always. Returns the way to stop. Missing where keys come only as lines.
   */
  listen?(hear: (keys: string | undefined) => void): () => void;
  /** The same for a line that is being edited: Ctrl-C is a key like any other, and what was typed before counts. */
  edit?(hear: (keys: string | undefined) => void): () => void;
}

export function keyboardOf(process: Pick<NodeJS.Process, "stdin" | "kill" | "pid">, hangUp: () => void): Keyboard {
  return {
    get isTTY() {
      return process.stdin.isTTY === true;
    },
    ask: async (prompt, output, signal) => {
      // While the keys are read, the terminal delivers Ctrl-C as one of them.
      if (forgetTypedKeys(process.stdin)) process.kill(process.pid, "SIGINT");
      if (signal.aborted) return undefined;
      output.write(prompt);
      // The terminal itself takes care of editing the line, and of Ctrl-C.
      const { stdin } = process;
      const done = new AbortController();
      const line = new Promise<string | undefined>((resolve) => {
        let typed = "";
        const onData = (part: Buffer | string): void => {
          typed += part;
          const end = typed.indexOf("\n");
          if (end !== -1) resolve(typed.slice(0, end));
        };
        const failed = (): void => {
          // The terminal is gone, so no one can answer.
          if (stdin.isTTY === true) hangUp();
          resolve(undefined);
        };
        // Ctrl-D, or the end of a terminal that is gone: its signal may come later than this.
        const ended = (): void =>
          globalThis.process.getBuiltinModule("node:tty").isatty(stdin.fd) ? resolve(undefined) : failed();
        stdin.on("data", onData).on("end", ended).on("error", failed);
        done.signal.addEventListener("abort", () => stdin.off("data", onData).off("end", ended).off("error", failed));
        signal.addEventListener("abort", () => resolve(undefined), { signal: done.signal });
      });
      try {
        stdin.resume();
        return await line;
      } finally {
        done.abort();
        stdin.pause();
      }
    },
    listen: (hear) => {
      const interrupt = (): void => void process.kill(process.pid, "SIGINT");
      if (forgetTypedKeys(process.stdin)) interrupt();
      return readKeys((keys) => (keys?.includes("\x03") ? interrupt() : hear(keys)));
    },
    edit: (hear) => readKeys(hear),
  };

  function readKeys(hear: (keys: string | undefined) => void): () => void {
    const { stdin } = process;
    const decoder = new TextDecoder();
    const onData = (part: Buffer): void => hear(decoder.decode(part, { stream: true }));
    const ended = (): void => hear(undefined);
    const failed = (): void => {
      hangUp();
      hear(undefined);
    };
    stdin.setRawMode(true);
    stdin.on("data", onData).on("end", ended).on("error", failed);
    stdin.resume();
    return () => {
      stdin.off("data", onData).off("end", ended).off("error", failed);
      stdin.setRawMode(false);
      stdin.pause();
    };
  }
}

/**
 * Drops what was typed before a question is shown, complete lines as well as single keys: it was not an answer to that
 * question. To be called right before the question is written. Returns whether Ctrl-C was among the keys.
 */
function forgetTypedKeys(stdin: Pick<NodeJS.ReadStream, "isTTY" | "setRawMode">): boolean {
  if (stdin.isTTY !== true || process.platform === "win32") return false;
  const keys = openKeys();
  if (keys === undefined) return false;
  const bytes = Buffer.alloc(4096);
  let hasCtrlC = false;
  try {
    // Without it, the terminal would keep a line that is not complete yet, and Enter would send it later.
    stdin.setRawMode(true);
    for (let length = readSync(keys, bytes); length > 0; length = readSync(keys, bytes)) {
      hasCtrlC ||= bytes.subarray(0, length).includes(0x03);
    }
    return hasCtrlC;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EAGAIN" || code === "EIO") return hasCtrlC; // nothing more is waiting
    throw error;
  } finally {
    stdin.setRawMode(false);
    closeSync(keys);
  }
}

/** The same terminal, opened anew: what is waiting can be read from it without waiting for more. */
function openKeys(): number | undefined {
  // After `su` the terminal still belongs to the user before, and only its other name can be opened.
  for (const path of process.platform === "linux" ? ["/proc/self/fd/0", "/dev/tty"] : ["/dev/tty"]) {
    try {
      return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EIO") return undefined; // the terminal is gone
      if (code !== "ENOENT" && code !== "ENXIO" && code !== "EACCES") throw error;
    }
  }
  throw new Refusal("terminal-of-another-user", {
    exitCode: 3,
    message: "cannot ask here: this terminal belongs to another user, so earlier keystrokes could answer the question",
    hint: "Run it in your own terminal, for example with `su -` or `ssh` in a new window.",
  });
}
