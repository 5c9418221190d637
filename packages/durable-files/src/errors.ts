/** Why a durable operation refused to go on. `code` is stable; `message` says what and where, `hint` says what to do next. */
export class DurableError extends Error {
  override readonly name = "DurableError";
  readonly code: DurableErrorCode;
  /** The file (and, for text, `file:line:col`) the error is about. */
  readonly at: string | undefined;
  readonly hint: string | undefined;

  constructor(code: DurableErrorCode, details: { message: string; at?: string; hint?: string; cause?: unknown }) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.at = details.at;
    this.hint = details.hint;
  }
}

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
