/** The same in every copy of this module: bundles carry copies, so `instanceof` would miss errors of another copy. */
const mark: symbol = Symbol.for("@atomic/explained-error");

export interface ErrorExplanation {
  /** What happened. Several lines are allowed. */
  readonly message: string;
  /** The file, or `file:line:col`. */
  readonly at?: string | undefined;
  /** What the user can do next. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * An error that a user can act on, in contrast to a bug: a stable `code`, what happened, where, what to do next, and
 * the exit code of a program that ends with it. Every error class of ours that a user may see extends this one.
 */
export abstract class ExplainedError extends Error {
  readonly code: string;
  readonly at: string | undefined;
  readonly hint: string | undefined;

  constructor(code: string, { message, at, hint, cause }: ErrorExplanation) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.at = at;
    this.hint = hint;
    Object.defineProperty(this, mark, { value: true });
  }

  /** One of the codes in docs/reference; 1, the answer is no, unless a subclass knows better. */
  get exitCode(): number {
    return 1;
  }
}

/** Whether an error explains itself, no matter which copy of this module made it. Everything else is a bug. */
export function isExplained(error: unknown): error is ExplainedError {
  return error instanceof Error && mark in error;
}
