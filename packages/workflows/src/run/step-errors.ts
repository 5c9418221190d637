// How steps fail. What a journal keeps of an error is what its reader gets: the same when it happens and after a crash.
import type { Json } from "./json.ts";

/** An error as it is journaled. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** What the thrower wants a handler to know. */
  readonly details?: Json;
  /** The step it came from, through however many forks. */
  readonly key?: string;
}

/** A step, or a fork, has failed for good. Thrown by `RunCtx`, whether it fails now or failed before a crash. */
export class StepFailedError extends Error {
  override readonly name = "StepFailedError";
  readonly key: string;
  readonly error: ErrorRecord;
  readonly attempts: number;

  constructor(key: string, error: ErrorRecord, attempts: number, cause?: unknown) {
    const times = attempts > 1 ? ` after ${attempts} attempts` : "";
    super(`${key} failed${times}: ${error.message}`, cause === undefined ? undefined : { cause });
    this.key = key;
    this.error = error;
    this.attempts = attempts;
  }
}

/** Thrown by a step that another attempt would not help. */
export class PermanentError extends Error {
  override readonly name: string = "PermanentError";
  readonly code: string | undefined;
  readonly details: Json | undefined;

  constructor(message: string, options: { code?: string; details?: Json; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.details = options.details;
  }
}

/** Thrown by a step whose provider wants to be left alone for a while: the whole run pauses, and no attempt is used up. */
export class RateLimitError extends Error {
  override readonly name = "RateLimitError";
  /** Milliseconds since 1970, or `undefined` with `retryAfterMs`. */
  readonly resumeAt: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, when: { resumeAt: number } | { retryAfterMs: number }) {
    super(message);
    this.resumeAt = "resumeAt" in when ? when.resumeAt : undefined;
    this.retryAfterMs = "retryAfterMs" in when ? when.retryAfterMs : undefined;
  }
}

/** An attempt that took too long, in all or since it last showed a sign of life. */
export class StepTimeoutError extends Error {
  override readonly name = "StepTimeoutError";
  readonly code: "timeout" | "idle-timeout";

  constructor(code: "timeout" | "idle-timeout", milliseconds: number) {
    super(code === "timeout" ? `not done after ${milliseconds} ms` : `no sign of life for ${milliseconds} ms`);
    this.code = code;
  }
}

/** Why a step's `AbortSignal` fires; it is the signal's reason. */
export class StepAbortedError extends Error {
  override readonly name = "AbortError";
  readonly why: AbortReason;

  constructor(why: AbortReason) {
    super(`The step was aborted: ${sentences[why]}.`);
    this.why = why;
  }
}

export type AbortReason = "cancelled" | "released" | "budget" | "abandoned" | "lost";

const sentences: Record<AbortReason, string> = {
  cancelled: "the run was cancelled",
  released: "this process stops working on the run",
  budget: "the run's budget is used up",
  abandoned: "another branch was faster, or failed",
  lost: "the run's journal cannot be written any more",
};

const longestMessage = 4000;

export function recordError(thrown: unknown): ErrorRecord {
  if (thrown instanceof StepFailedError) return { ...thrown.error, key: thrown.error.key ?? thrown.key };
  if (!(thrown instanceof Error)) return { name: "Error", message: shorten(String(thrown)) };
  const { code, details } = thrown as { code?: unknown; details?: Json };
  return {
    name: thrown.name,
    message: shorten(thrown.message),
    ...(typeof code === "string" && { code }),
    ...(thrown instanceof PermanentError && details !== undefined && { details }),
  };
}

function shorten(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)} …` : text;
}
