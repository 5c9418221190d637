import { escapeForTerminal } from "@atomic/terminal/hidden-characters";

/** Why an engine refuses. `code` is stable; `message` says what and where, `hint` what to do next. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly code: RunErrorCode;
  /** The run, file or record the error is about. */
  readonly at: string | undefined;
  readonly hint: string | undefined;

  constructor(code: RunErrorCode, details: { message: string; at?: string; hint?: string; cause?: unknown }) {
    const message = escapeForTerminal(details.message, { singleLine: true });
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.at = details.at;
    this.hint = details.hint === undefined ? undefined : escapeForTerminal(details.hint, { singleLine: true });
  }
}

export type RunErrorCode =
  | "run-not-found"
  | "run-held" // another process, or another task of this one, works on it
  | "run-ended" // what was asked for makes sense only before the end
  | "bad-request" // an id, key, budget or value that cannot be taken
  | "key-repeated" // two calls of one run with the same key
  | "diverged" // the journal tells of another call under this key: not the program that wrote it
  | "other-version" // written by an interpreter that this one does not claim to follow
  | "damaged" // a journal, message or stored result that is not what was written
  | "lost"; // the journal cannot be written any more: nothing further is done

/** Nothing is wrong with the run: the program that began it, or a better one, can go on with it. */
export function isProgramsFault(error: unknown): error is RunError {
  return error instanceof RunError && (error.code === "diverged" || error.code === "key-repeated");
}
