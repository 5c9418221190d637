// How steps fail. Readers get what the journal keeps of an error, so it is the same when it happens and after a crash.
import { type ErrorExplanation, ExplainedError, isExplained } from "@atomic/durable-files/explained-error";
import type { Json } from "./json.ts";

/** An error as the journal keeps it. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly code?: string;
  /** Details for a handler. */
  readonly details?: Json;
  /** The step that failed, through any number of forks. */
  readonly key?: string;
}

/** A step or a fork has failed for good. `RunCtx` throws it, whether that happened now or before a crash. */
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

  /** What to do about it. */
  get hint(): string | undefined {
    return this.error.hint;
  }
}

/** Thrown by a step if another attempt would not help. */
export class PermanentError extends ExplainedError {
  override readonly name: string = "PermanentError";
  readonly details: Json | undefined;

  constructor(message: string, more: Omit<ErrorExplanation, "message"> & { code?: string; details?: Json } = {}) {
    const { code = "permanent", details, ...where } = more;
    super(code, { message, ...where });
    this.details = details;
  }
}

/** Thrown by a step whose provider asks for a pause: the whole run pauses, and no attempt is used up. */
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

/** An attempt took too long, in total or since its last sign of life. */
export class StepTimeoutError extends Error {
  override readonly name = "StepTimeoutError";
  readonly code: "timeout" | "idle-timeout";

  constructor(code: "timeout" | "idle-timeout", milliseconds: number) {
    const time = milliseconds < 60_000 ? `${milliseconds} ms` : `${+(milliseconds / 60_000).toFixed(1)} min`;
    super(code === "timeout" ? `timed out after ${time}` : `no activity for ${time}`);
    this.code = code;
  }
}

/** The reason of a step's `AbortSignal`. */
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
  released: "this process stopped working on the run",
  budget: "the run's budget is used up",
  abandoned: "another branch finished first or failed",
  lost: "the run's journal can no longer be written",
};

const longest = { message: 4000, name: 200, code: 200 };
/** The most bytes of the details' JSON. */
const mostBytes = 16 * 1024;

/** Records whatever any code threw. Describing a failure never fails itself. */
export function recordError(thrown: unknown): ErrorRecord {
  try {
    if (thrown instanceof StepFailedError) return { ...thrown.error, key: thrown.error.key ?? thrown.key };
    if (!(thrown instanceof Error)) return { name: "Error", message: shorten(wordsOf(thrown), longest.message) };
    const { name, message, code, details } = thrown as { [Key in "name" | "message" | "code" | "details"]?: unknown };
    const { kept, leftOut } = thrown instanceof PermanentError ? keptDetails(details) : {};
    let text = wordsOf(message);
    let hint: string | undefined;
    if (isExplained(thrown)) {
      // A record has one text that says what is wrong, and where. If several things are wrong, each has its own hint.
      const parts = "parts" in thrown ? (thrown.parts as readonly ExplanationPart[]) : [];
      if (parts.length === 0) text = sentenceOf({ message: thrown.message, at: thrown.at });
      else text = `${thrown.message}:${parts.map((part) => `\n  ${sentenceOf(part)}`).join("")}`;
      if (parts.length === 0 && thrown.hint !== "") hint = thrown.hint;
    }
    text = shorten(text, longest.message);
    return {
      name: typeof name === "string" ? shorten(name, longest.name) : "Error",
      message: leftOut === undefined ? text : `${text} (details omitted: ${leftOut})`,
      ...(hint !== undefined && { hint: shorten(hint, longest.message) }),
      ...(typeof code === "string" && { code: shorten(code, longest.code) }),
      ...(kept !== undefined && { details: kept }),
    };
  } catch {
    // It is a proxy, or has a getter, that throws.
    return { name: "Error", message: "the thrown value cannot be inspected" };
  }
}

interface ExplanationPart {
  readonly message: string;
  readonly at?: string | undefined;
  readonly hint?: string | undefined;
}

function sentenceOf({ message, at, hint }: ExplanationPart): string {
  const place = at === undefined || message.includes(at) ? "" : `${at}: `;
  const text = `${place}${message}`;
  if (hint === undefined || hint === "") return text;
  return `${/[.!?:]$/.test(text) ? text : `${text}.`} ${hint}`;
}

/** The details as they will be after a crash, or why they cannot be kept. */
function keptDetails(details: unknown): { readonly kept?: Json; readonly leftOut?: string } {
  if (details === undefined) return {};
  let text: string | undefined;
  try {
    text = JSON.stringify(details) as string | undefined;
  } catch (error) {
    // A circle, a BigInt, or a toJSON that throws.
    return { leftOut: recordError(error).message };
  }
  if (text === undefined) return { leftOut: `a ${typeof details} is not JSON` };
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) return { leftOut: `${bytes} bytes, but a record can hold at most ${mostBytes}` };
  return { kept: JSON.parse(text) as Json };
}

function wordsOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // a circle, a BigInt, or a toJSON that throws
  }
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)} …` : text;
}
