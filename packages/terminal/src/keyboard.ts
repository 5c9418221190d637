// Where answers come from. Keys that were typed before a question is shown do not answer it.
import { closeSync, readSync } from "node:fs";
import type { Output } from "./process-output.ts";
import { openKeys, ReopenedTerminal, type TerminalInput } from "./reopened-terminal.ts";

export interface Keyboard {
  /** You can type an answer. */
  readonly isTTY: boolean;
  /**
   * Shows the prompt and waits for an answer; undefined at the end of the input, or after an abort. That is one line, or all lines
   * of a text that is pasted.
   */
  ask(prompt: string, output: Output, signal: AbortSignal): Promise<string | undefined>;
  /**
   * The same for a line that is not an answer: what was typed before counts, line by line. Missing where no one can type
   * ahead.
   */
  line?(prompt: string, output: Output): Promise<string | undefined>;
  /**
   * Passes on keys as they are pressed, which the terminal then does not show; undefined at the end of the input. Ctrl-C
   * is not passed on: it stops the program as always. Returns the way to stop. Missing where keys come only as lines.
   */
  listen?(hear: (keys: string | undefined) => void): () => void;
  /** The same for a line that is being edited: Ctrl-C is a key like any other, and what was typed before counts. */
  edit?(hear: (keys: string | undefined) => void): () => void;
  /** Drops what was typed and has not been read, even Ctrl-C: it was for something that is over. */
  forget?(): void;
}

/** What arrives sooner than this after a line was pasted with it. */
const pastedMs = 50;
const howToEnd =
  "Your answer has several lines. Press Enter on an empty line to send it, or Ctrl-D on an empty line to discard it.";
/** In bytes. A terminal that takes care of editing drops what is behind them, up to the end of the line. */
const longestLine = process.platform === "darwin" ? 1023 : 4095;
const wasCut = `The line was cut: a terminal accepts at most ${longestLine} bytes per line. Split it into several lines.`;

type KeyboardProcess = Pick<NodeJS.Process, "stdin" | "kill" | "pid" | "on" | "off">;

export function keyboardOf(process: KeyboardProcess, hangUp: () => void): Keyboard {
  /** Typed behind the line that was read last. */
  let typed = "";
  /** After Ctrl-D, which ends the process's own stream. */
  let reopened: ReopenedTerminal | undefined;
  const input = (): TerminalInput => reopened ?? process.stdin;
  const interrupt = (): void => void process.kill(process.pid, "SIGINT");
  /** Drops what was typed and has not been read. Returns whether Ctrl-C was among it. */
  const forget = (): boolean => {
    typed = "";
    return waitingKeys(input()).includes("\x03");
  };
  return {
    get isTTY() {
      return process.stdin.isTTY === true;
    },
    ask: async (prompt, output, signal) => {
      for (;;) {
        // Right before the question is written: nothing typed earlier is its answer.
        if (forget()) interrupt();
        if (signal.aborted) return undefined;
        const lines = await readAnswer(prompt, output, signal);
        if (lines === undefined) return undefined;
        if (!lines.some(isCut)) return lines.length === 1 ? lines[0] : lines.join("\n").trimEnd();
        await explain(wasCut, output);
      }
    },
    line: async (prompt, output) => {
      for (;;) {
        output.write(prompt);
        const line = await readLine(new AbortController().signal);
        if (line === undefined || !isCut(line)) return line;
        await explain(wasCut, output);
      }
    },
    listen: (hear) => {
      if (forget()) interrupt();
      return readKeys((keys) => (keys?.includes("\x03") ? interrupt() : hear(keys)));
    },
    edit: (hear) => readKeys(hear),
    forget: () => void forget(),
  };

  /** A line; or, if more arrive at once, all lines up to an empty one: the last line of a pasted text ends only with Enter. */
  async function readAnswer(prompt: string, output: Output, signal: AbortSignal): Promise<string[] | undefined> {
    const lines: string[] = [];
    const show = (): void => {
      output.write(prompt);
      if (lines.length === 0) return;
      output.write("\n");
      void explain(howToEnd, output);
    };
    // After Ctrl-Z, when the shell brings us back.
    process.on("SIGCONT", show);
    show();
    try {
      for (;;) {
        const line = await readLine(signal);
        if (line === undefined) return undefined;
        const isFirst = lines.length === 0;
        const pasted = [line, ...(isFirst || isBlank(line) ? await readPasted(signal, isBlank(line)) : [])];
        if (signal.aborted) return undefined;
        // The last line of a pasted text has only begun.
        if (isFirst) typed += begunLine();
        const isOver = typed === "" && pasted.slice(isFirst ? 1 : 0).every(isBlank);
        if (isOver) return [...lines, line];
        lines.push(...pasted);
        if (!isFirst) continue;
        if (typed !== "") output.write("\n");
        await explain(howToEnd, output);
        output.write(printable(typed));
      }
    } finally {
      process.off("SIGCONT", show);
      typed = "";
    }
  }

  /** What was typed after the last Enter. It cannot be erased any more. */
  function begunLine(): string {
    const keys = waitingKeys(input());
    if (keys.includes("\x03")) interrupt();
    return keys.replaceAll("\r", "\n").replaceAll(/[^\P{Cc}\t\n]/gu, "");
  }

  /** The lines that arrive right behind the last one. A held-down Enter sends blank lines without end: they do not extend the wait. */
  async function readPasted(signal: AbortSignal, isBehindBlank: boolean): Promise<string[]> {
    const lines: string[] = [];
    let areBlank = isBehindBlank;
    for (let until = performance.now() + pastedMs; ; ) {
      const line = await readLine(signal, until - performance.now());
      if (line === undefined) return lines;
      lines.push(line);
      areBlank &&= isBlank(line);
      if (!areBlank) until = performance.now() + pastedMs;
    }
  }

  /** The terminal itself takes care of editing the line, and of Ctrl-C. */
  async function readLine(signal: AbortSignal, withinMs?: number): Promise<string | undefined> {
    const stdin = input();
    const done = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const line = new Promise<string | undefined>((resolve) => {
      let isRead = false;
      const onData = (part: Buffer | string): void => {
        typed += part;
        const end = typed.indexOf("\n");
        if (end === -1 || isRead) return;
        isRead = true;
        resolve(typed.slice(0, end));
        typed = typed.slice(end + 1);
      };
      onData("");
      const failed = (): void => {
        // The terminal is gone, so no one can answer.
        if (stdin.isTTY === true) hangUp();
        resolve(undefined);
      };
      // Ctrl-D, or the end of a terminal that is gone: its signal may come later than this.
      const ended = (): void => {
        if (globalThis.process.getBuiltinModule("node:tty").isatty(0)) {
          reopened ??= new ReopenedTerminal();
          resolve(undefined);
        } else failed();
      };
      if (signal.aborted) resolve(undefined);
      if (isRead || signal.aborted) return;
      done.signal.addEventListener("abort", hearing(stdin, onData, ended, failed));
      signal.addEventListener("abort", () => resolve(undefined), { signal: done.signal });
      if (withinMs !== undefined) timer = setTimeout(() => resolve(undefined), withinMs);
      stdin.resume();
    });
    try {
      return await line;
    } finally {
      clearTimeout(timer);
      done.abort();
      stdin.pause();
    }
  }

  function readKeys(hear: (keys: string | undefined) => void): () => void {
    const stdin = input();
    const decoder = new TextDecoder();
    const onData = (part: Buffer): void => hear(decoder.decode(part, { stream: true }));
    const ended = (): void => hear(undefined);
    const failed = (): void => {
      hangUp();
      hear(undefined);
    };
    stdin.setRawMode(true);
    const unhear = hearing(stdin, onData, ended, failed);
    stdin.resume();
    return () => {
      unhear();
      stdin.setRawMode(false);
      stdin.pause();
    };
  }
}

function isCut(line: string): boolean {
  return Buffer.byteLength(line) >= longestLine;
}

/** Without control characters, but with line breaks. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, "");
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

function hearing(stdin: TerminalInput, data: (part: Buffer) => void, end: () => void, error: () => void): () => void {
  stdin.on("data", data);
  stdin.on("end", end);
  stdin.on("error", error);
  return () => {
    stdin.off("data", data);
    stdin.off("end", end);
    stdin.off("error", error);
  };
}

/** Drains the terminal: complete lines as well as single keys. Meanwhile, it delivers Ctrl-C as one of them. */
function waitingKeys(stdin: TerminalInput): string {
  if (stdin.isTTY !== true || process.platform === "win32") return "";
  const keys = openKeys();
  if (keys === undefined) return "";
  const bytes = Buffer.alloc(64 * 1024);
  const parts: Buffer[] = [];
  try {
    // Without it, the terminal would keep a line that is not complete yet, and Enter would send it later.
    stdin.setRawMode(true);
    for (let length = readSync(keys, bytes); length > 0; length = readSync(keys, bytes))
      parts.push(Buffer.from(bytes.subarray(0, length)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EAGAIN" && code !== "EIO") throw error; // otherwise nothing more is waiting
  } finally {
    stdin.setRawMode(false);
    closeSync(keys);
  }
  return Buffer.concat(parts).toString();
}

/** A line or two below the question. */
async function explain(text: string, output: Output): Promise<void> {
  const { paragraph } = await import("./wrap.ts");
  output.write(paragraph(text, output, { lead: "  ", indent: "  " }));
}
