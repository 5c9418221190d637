import { ExplainedError } from "@atomic/durable-files/explained-error";

export type HostErrorCode =
  /** The program or package that this host needs is not installed. */
  "host-missing" | "host-failed" | "session-gone" | "prompt-failed" | "aborted";

/** What a host could not do, and what to do about it. */
export class HostError extends ExplainedError {
  override readonly name = "HostError";
  declare readonly code: HostErrorCode;
  readonly host: string;

  constructor(code: HostErrorCode, details: { host: string; message: string; hint?: string; cause?: unknown }) {
    super(code, details);
    this.host = details.host;
  }

  override get exitCode(): number {
    return this.code === "host-missing" || this.code === "host-failed" ? 6 : 1;
  }
}
