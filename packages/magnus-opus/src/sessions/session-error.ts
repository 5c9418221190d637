import { ExplainedError } from "@atomic/durable-files/explained-error";

export type SessionErrorCode = "session-not-found" | "session-ambiguous" | "session-id-invalid" | "unsafe-file";

/** What cannot be done with a session, and what can. */
export class SessionError extends ExplainedError {
  override readonly name = "SessionError";
  declare readonly code: SessionErrorCode;
  declare readonly hint: string;

  constructor(code: SessionErrorCode, message: string, hint: string) {
    super(code, { message, hint });
  }

  override get exitCode(): number {
    return this.code === "unsafe-file" ? 3 : 1;
  }
}
