export type HostErrorCode =
  /** The program or package that this host needs is not installed. */
  "host-missing" | "host-failed" | "session-gone" | "prompt-failed" | "aborted";

/** What a host could not do, and what to do about it. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: HostErrorCode;
  readonly host: string;
  readonly hint: string | undefined;

  constructor(code: HostErrorCode, details: { host: string; message: string; hint?: string; cause?: unknown }) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.host = details.host;
    this.hint = details.hint;
  }
}
