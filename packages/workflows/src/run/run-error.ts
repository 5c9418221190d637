import { type ErrorExplanation, ExplainedError } from "@atomic/durable-files/explained-error";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";

/** An engine's refusal. `code` is stable; `message` says what and where, `hint` what to do next. */
export class RunError extends ExplainedError {
  override readonly name = "RunError";
  declare readonly code: RunErrorCode;

  /** `at` is the run, file or record the error is about. */
  constructor(code: RunErrorCode, details: ErrorExplanation) {
    const message = escapeForTerminal(details.message, { singleLine: true });
    const hint = details.hint === undefined ? undefined : escapeForTerminal(details.hint, { singleLine: true });
    super(code, { message, at: details.at, hint, cause: details.cause });
  }

  override get exitCode(): number {
    if (this.code === "run-cancelled") return 8;
    if (this.code === "run-stopped") return 5;
    if (this.code === "unreachable") return 6;
    const isAnswer =
      this.code === "run-not-found" ||
      this.code === "run-ended" ||
      this.code === "run-released" ||
      this.code === "bad-request";
    return isAnswer ? 1 : 3;
  }
}

export type RunErrorCode =
  | "run-not-found" // there is no run with this id
  | "run-held" // another process, or another part of this one, is working on the run
  | "run-ended" // the request makes sense only before the end
  | "run-cancelled" // the run was cancelled
  | "run-stopped" // the run's budget is used up
  | "run-released" // the process that worked on the run has left it; it can be resumed
  | "bad-request" // an id, key, budget or value that is not valid
  | "key-repeated" // two calls of one run have the same key
  | "diverged" // the journal has another call with this key: another program wrote it
  | "other-version" // an interpreter with another order of calls wrote it
  | "not-writable" // the folder of runs cannot be written
  | "not-ready" // the run cannot be executed here now, because part of its workspace is missing; it may work later or elsewhere
  | "unreachable" // the store of runs does not answer
  | "damaged" // a journal, message or stored result is not what was written
  | "lost"; // the journal cannot be written any more, so nothing further is done

/** The run is fine and nothing about it has to change: this process has to wait. */
export function isNotReady(error: unknown): error is RunError {
  return error instanceof RunError && error.code === "not-ready";
}

/** The run is fine: the program that started it, or a corrected one, can continue it. */
export function isProgramsFault(error: unknown): error is RunError {
  return error instanceof RunError && (error.code === "diverged" || error.code === "key-repeated");
}
