import { ExplainedError } from "@atomic/durable-files/explained-error";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";

/** Why an engine refuses. `code` is stable; `message` says what and where, `hint` what to do next. */
export class RunError extends ExplainedError {
  override readonly name = "RunError";
  declare readonly code: RunErrorCode;

  /** `at` is the run, file or record the error is about. */
  constructor(code: RunErrorCode, details: { message: string; at?: string; hint?: string; cause?: unknown }) {
    const message = escapeForTerminal(details.message, { singleLine: true });
    const hint = details.hint === undefined ? undefined : escapeForTerminal(details.hint, { singleLine: true });
    super(code, { message, at: details.at, hint, cause: details.cause });
  }

  override get exitCode(): number {
    if (this.code === "run-cancelled") return 8;
    if (this.code === "run-stopped") return 5;
    const isAnswer =
      this.code === "run-not-found" ||
      this.code === "run-ended" ||
      this.code === "run-released" ||
      this.code === "bad-request";
    return isAnswer ? 1 : 3;
  }
}

export type RunErrorCode =
  | "run-not-found"
  | "run-held" // another process, or another task of this one, works on it
  | "run-ended" // what was asked for makes sense only before the end
  | "run-cancelled"
  | "run-stopped" // its budget is used up
  | "run-released" // the process that worked on it left it; it can be resumed
  | "bad-request" // an id, key, budget or value that cannot be taken
  | "key-repeated" // two calls of one run with the same key
  | "diverged" // the journal tells of another call under this key: not the program that wrote it
  | "other-version" // written by an interpreter that this one does not claim to follow
  | "damaged" // a journal, message or stored result that is not what was written
  | "lost"; // the journal cannot be written any more: nothing further is done

/** Nothing is wrong with the run: the program that began it, or a better one, can continue it. */
export function isProgramsFault(error: unknown): error is RunError {
  return error instanceof RunError && (error.code === "diverged" || error.code === "key-repeated");
}
