import { ExplainedError } from "@atomic/durable-files/explained-error";

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
