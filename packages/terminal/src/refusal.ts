import { type ErrorExplanation, ExplainedError } from "@atomic/durable-files/explained-error";
import type { ExitCode } from "./exit-codes.ts";

/** The command line was understood, but the answer is no. */
export class Refusal extends ExplainedError {
  override readonly name = "Refusal";
  readonly #exitCode: ExitCode;

  constructor(code: string, { exitCode = 1, ...explanation }: ErrorExplanation & { readonly exitCode?: ExitCode }) {
    super(code, explanation);
    this.#exitCode = exitCode;
  }

  override get exitCode(): ExitCode {
    return this.#exitCode;
  }
}

/** The command line, or a variable it depends on, is wrong. */
export class UsageError extends ExplainedError {
  override readonly name = "UsageError";
  declare readonly code: "usage";

  constructor(message: string, { hint, cause }: { readonly hint?: string | undefined; readonly cause?: unknown } = {}) {
    super("usage", { message, hint, cause });
  }

  override get exitCode(): number {
    return 2;
  }
}
