// Ctrl-D ends the process's own stream of keys for good, but not the terminal.
import { EventEmitter } from "node:events";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { Refusal } from "./refusal.ts";

/** What a keyboard needs of a stream of keys. */
export interface TerminalInput {
  readonly isTTY: boolean;
  setRawMode(isRaw: boolean): unknown;
  on(event: "data" | "end" | "error", hear: (part: Buffer) => void): unknown;
  off(event: "data" | "end" | "error", hear: (part: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Too short to be noticed. */
const lookMs = 15;

/**
 * The terminal of standard input, once more. It is looked at again and again while it is read: Bun has no stream for it that could
 * be stopped without losing the next key, which may be for another program.
 */
export class ReopenedTerminal extends EventEmitter implements TerminalInput {
  readonly isTTY = true;
  /** Never read. It remembers the modes that were there before. */
  readonly #modes: NodeJS.ReadStream = new (process.getBuiltinModule("node:tty").ReadStream)(0);
  readonly #bytes = Buffer.alloc(64 * 1024);
  #keys: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  setRawMode(isRaw: boolean): void {
    this.#modes.setRawMode(isRaw);
  }

  resume(): void {
    if (this.#timer !== undefined) return;
    this.#keys ??= openKeys();
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#keys !== undefined) closeSync(this.#keys);
    this.#keys = undefined;
  }

  #look(): void {
    if (this.#keys === undefined) {
      this.pause();
      this.emit("error", new Error("The terminal is gone."));
      return;
    }
    try {
      const length = readSync(this.#keys, this.#bytes);
      if (length > 0) this.emit("data", Buffer.from(this.#bytes.subarray(0, length)));
      else this.emit("end");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return; // nothing was typed
      this.pause();
      this.emit("error", error);
    }
  }
}

/** The same terminal, opened anew: what is waiting can be read from it without waiting for more. */
export function openKeys(): number | undefined {
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
