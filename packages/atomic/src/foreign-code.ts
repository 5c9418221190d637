// What a workflow's own code can do to this process: end it, break it, print to it.
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { fileURLToPath } from "node:url";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Failure } from "@atomic/terminal/failure";

export type AbruptEnd =
  /** It called `process.exit`. */
  | { readonly kind: "exited"; readonly code: number }
  /** It awaits what can never come: nothing else is left to do. */
  | { readonly kind: "stuck" }
  /** It threw where nothing can catch it. */
  | { readonly kind: "threw"; readonly error: unknown };

/** What happened, as the end of a sentence. Not yet safe for a terminal. */
export function describeEnd(end: AbruptEnd, subject = "the workflow"): string {
  switch (end.kind) {
    case "exited":
      return `${subject} called process.exit(${end.code})`;
    case "stuck":
      return `${subject} awaits a promise that never settles`;
    case "threw": {
      const { error } = end;
      const place = placeOf(error);
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return `${subject} threw an uncaught error: ${text}${place === undefined ? "" : ` (${place})`}`;
    }
  }
}

/** Why the program ends before a run has begun. `file` is the workflow's; `loading` is its name while it is loaded. */
export function failureOfEnd(
  end: AbruptEnd,
  file: string | undefined,
  loading?: string,
): Failure & { exitCode: ExitCode } {
  const at = (end.kind === "threw" ? placeOf(end.error) : undefined) ?? file;
  const message =
    loading === undefined ? describeEnd(end) : `the workflow ${loading} cannot be loaded: ${describeEnd(end, "it")}`;
  return { code: "workflow-ended", message, ...(at !== undefined && { at }), exitCode: 7 };
}

/** `file:line:column`, as one types it. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const [, file, position] =
    /^\s+at (?:.* \()?((?:file:\/\/|\/|[A-Z]:\\).*?)(?:\?workflow=\d+)?(:\d+:\d+)\)?$/m.exec(stack) ?? [];
  if (file === undefined) return undefined;
  return `${file.startsWith("file://") ? fileURLToPath(file) : file}${position}`;
}

/** Reports the end and returns the exit code; undefined if that end is intended. */
export type EndListener = (end: AbruptEnd) => ExitCode | undefined;

/** The last listener receives an end; without a listener, every end is intended. */
export class AbruptEnds {
  readonly #program: Pick<NodeJS.Process, "on" | "exit">;
  #listener: EndListener | undefined;
  #isWatching = false;

  constructor(program: Pick<NodeJS.Process, "on" | "exit">) {
    this.#program = program;
  }

  listen(listener: EndListener): () => void {
    const before = this.#listener;
    this.#listener = listener;
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#program.on("beforeExit", () => this.#end({ kind: "stuck" }));
      this.#program.on("exit", (code) => this.#end({ kind: "exited", code }));
      this.#program.on("uncaughtException", (error) => this.#end({ kind: "threw", error }));
      // Bun does not turn it into an exception.
      this.#program.on("unhandledRejection", (error) => this.#end({ kind: "threw", error }));
    }
    return () => {
      this.#listener = before;
    };
  }

  /** The end that comes now is intended. */
  allow(): void {
    this.#listener = undefined;
  }

  #end(end: AbruptEnd): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener === undefined) {
      if (end.kind === "threw") throw end.error;
      return;
    }
    const code = listener(end);
    if (code === undefined) this.#listener = listener;
    else this.#program.exit(code);
  }
}

/**
 * Code of others may write to stderr when its reader has gone, such as the prompt line that started the run, or a terminal that
 * was closed. On Node, that would be an uncaught error.
 */
export function outliveReader(stderr: Pick<NodeJS.WriteStream, "on" | "off">): void {
  stderr.off("error", readerGone).on("error", readerGone);
}

function readerGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
}

/**
 * Sends what code of others prints, for example with `console.log`, there from now on. What it writes to stderr without
 * the console stays where it is: questions are asked there.
 */
export function redirectPrints(stdout: Pick<NodeJS.WriteStream, "write">, to: (text: string) => void): void {
  const decoder = new StringDecoder("utf8");
  const write = (chunk: Uint8Array | string, ...more: readonly unknown[]): boolean => {
    to(typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
    const done = more.find((each) => typeof each === "function") as (() => void) | undefined;
    if (done !== undefined) queueMicrotask(done);
    return true;
  };
  stdout.write = write;
  // On Bun the console does not write to `process.stdout`.
  const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => write(chunk, done) });
  const redirected = new console.Console(stream, stream);
  const methods = redirected as unknown as Record<string, unknown>;
  for (const [name, method] of Object.entries(console)) {
    if (typeof method === "function" && typeof methods[name] === "function" && name !== "Console") {
      (console as unknown as Record<string, unknown>)[name] = methods[name].bind(redirected);
    }
  }
}
