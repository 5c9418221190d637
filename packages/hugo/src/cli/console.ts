import type { Caller } from "@atomic/terminal/agent-at-keyboard";
import type { Page } from "@atomic/terminal/page";
import type { Context } from "../context.ts";

/** The signals that ask a program to end. */
export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface Output extends Page {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** Where answers come from. */
export interface Keyboard {
  readonly isTTY: boolean;
  /** Drops what was typed before, which is not an answer to a question that is shown only now. */
  forgetTyped(): void;
  /** What was typed up to the next line break; `undefined` if there is nothing more to come, or after an abort. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
}

/** Time, for those who have to wait for a moment to come. Nothing of it keeps the program alive. */
export interface Clock {
  /** Calls once, after so many milliseconds. Returns the way to call it off. */
  after(milliseconds: number, call: () => void): () => void;
}

/** What the system or Ctrl-C tells a program. */
export interface Signals {
  /** Instead of the end that a signal means to whoever does not listen. Returns the way to stop. */
  listen(hear: (interrupt: Interrupt) => void): () => void;
}

/** What the program has in its hands: everything of the process that it may touch. */
export interface Console extends Pick<Context, "cwd" | "home" | "env"> {
  readonly stdin: Keyboard;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly signals: Signals;
  readonly caller: Caller;
}
