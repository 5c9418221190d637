// Ends of the program that nobody here meant: it runs code of others, which can end it, or break it.
import { fileURLToPath } from "node:url";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Failure } from "@atomic/terminal/failure";

export type AbruptEnd =
  /** Somebody called `process.exit`. */
  | { readonly kind: "exited"; readonly code: number }
  /** Somebody waits for what can never come: nothing else is left to do. */
  | { readonly kind: "stuck" }
  /** Thrown where nobody can catch it. */
  | { readonly kind: "threw"; readonly error: unknown };

/** What happened, as the end of a sentence. Not yet safe for a terminal. */
export function describeEnd(end: AbruptEnd): string {
  switch (end.kind) {
    case "exited":
      return `the workflow called process.exit(${end.code})`;
    case "stuck":
      return "the workflow awaits a promise that never settles";
    case "threw":
      return `the workflow threw an uncaught error: ${thrownText(end.error)}`;
  }
}

/** Why the program ends, where no run has begun that could be told of. `file`: the workflow's. */
export function failureOfEnd(end: AbruptEnd, file: string | undefined, lead = ""): Failure & { exitCode: ExitCode } {
  const at = (end.kind === "threw" ? placeOf(end.error) : undefined) ?? file;
  return { code: "workflow-ended", message: lead + describeEnd(end), ...(at !== undefined && { at }), exitCode: 7 };
}

function thrownText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = placeOf(error);
  return `${error.name}: ${error.message}${place === undefined ? "" : ` (${place})`}`;
}

/** `file:line:column`, as one types it. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const [, file, position] =
    /^\s+at (?:.* \()?((?:file:\/\/|\/|[A-Z]:\\).*?)(?:\?workflow=\d+)?(:\d+:\d+)\)?$/m.exec(stack) ?? [];
  if (file === undefined) return undefined;
  return `${file.startsWith("file://") ? fileURLToPath(file) : file}${position}`;
}

/** Tells it, and gives the exit code; undefined if that end is meant. */
export type EndListener = (end: AbruptEnd) => ExitCode | undefined;

/** Whoever listens last is told of an end; while nobody does, every end is meant. */
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
    if (!this.#isWatching) this.#watch();
    return () => {
      this.#listener = before;
    };
  }

  /** The end that comes now is meant. */
  allow(): void {
    this.#listener = undefined;
  }

  #watch(): void {
    this.#isWatching = true;
    this.#program.on("beforeExit", () => this.#end({ kind: "stuck" }));
    this.#program.on("exit", (code) => this.#end({ kind: "exited", code }));
    this.#program.on("uncaughtException", (error) => this.#end({ kind: "threw", error }));
    // Bun does not make an exception of it.
    this.#program.on("unhandledRejection", (error) => this.#end({ kind: "threw", error }));
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
