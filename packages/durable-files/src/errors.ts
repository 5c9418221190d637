import { printable } from "./safety/printable.ts";
import type { TransactionResult } from "./transaction/result.ts";

/** Why a durable operation refused to go on. `code` is stable; `message` says what and where, `hint` says what to do next. */
export class DurableError extends Error {
  override readonly name = "DurableError";
  readonly code: DurableErrorCode;
  /** The file (and, for text, `file:line:col`) the error is about, exactly; `message` and `hint` have unprintable characters escaped. */
  readonly at: string | undefined;
  readonly hint: string | undefined;
  /** What was done all the same, before or in spite of the error: an earlier transaction recovered, or the change itself. */
  readonly completed: Partial<TransactionResult> | undefined;

  constructor(code: DurableErrorCode, details: DurableErrorDetails) {
    super(printable(details.message), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.at = details.at;
    this.hint = details.hint === undefined ? undefined : printable(details.hint);
    this.completed = details.completed;
  }
}

export type DurableErrorDetails = {
  message: string;
  at?: string | undefined;
  hint?: string | undefined;
  cause?: unknown;
  completed?: Partial<TransactionResult> | undefined;
};

export type DurableErrorCode =
  | "changed" // a file is not what the caller read
  | "fenced" // another writer has taken over
  | "locked" // the deadline passed while somebody else held the lock
  | "unsafe-path" // a path or name that may not be written
  | "unsafe-file" // a FIFO, device, directory, foreign owner … in place of a plain file
  | "syntax" // text that does not parse
  | "shape" // text that parses, but not to what the edit needs (an object where an array belongs)
  | "internal" // a result failed our own check and was thrown away; nothing was changed
  | "damaged" // a journal or transaction record that fails its checksum
  | "unfinished" // committed, not yet fully applied: the next call finishes it
  | "io"; // the file system refused (disk full, read-only …); the message says in which state that leaves things
