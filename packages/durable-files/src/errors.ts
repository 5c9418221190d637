import { type ErrorExplanation, ExplainedError } from "./explained-error.ts";
import type { TransactionResult } from "./transaction-result.ts";

/** Why a durable operation refused to continue. `message` and `hint` have unprintable characters escaped; `at` is exact. */
export class DurableError extends ExplainedError {
  override readonly name = "DurableError";
  declare readonly code: DurableErrorCode;
  /** What was done despite the error: an earlier transaction recovered, or the change itself. */
  readonly completed: Partial<TransactionResult> | undefined;

  constructor(code: DurableErrorCode, { message, at, hint, cause, completed }: DurableErrorDetails) {
    super(code, { message: printable(message), at, hint: hint === undefined ? undefined : printable(hint), cause });
    this.completed = completed;
  }

  /** Refused for safety; after `internal` and `unfinished` it is a bug, or the next command has to finish the work. */
  override get exitCode(): number {
    return this.code === "internal" || this.code === "unfinished" ? 70 : 3;
  }
}

export interface DurableErrorDetails extends ErrorExplanation {
  readonly completed?: Partial<TransactionResult> | undefined;
}

export type DurableErrorCode =
  | "changed" // a file is not what the caller read
  | "fenced" // another writer has taken over
  | "locked" // the deadline passed while another process held the lock
  | "unsafe-path" // a path or name may not be written
  | "unsafe-file" // there is a FIFO, a device, a folder or another owner's file in place of a plain file
  | "syntax" // a file does not parse
  | "shape" // a file parses, but not to what the edit needs (an object where an array belongs)
  | "internal" // a result failed our own check and was thrown away; nothing was changed
  | "damaged" // a journal or transaction record does not match its checksum
  | "unfinished" // committed, not yet fully applied: the next call finishes it
  | "io"; // the file system refused (disk full, read-only …); the message says what state that leaves things in

/**
 * Text that is safe to print: control, format (bidirectional, invisible) and line-separating characters and halves of surrogate
 * pairs become `\u{…}`. File names, lock files and records are untrusted, and terminals act on control characters.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}
