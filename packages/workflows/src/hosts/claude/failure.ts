import { RateLimitError } from "../../run/step-errors.ts";
import { HostError } from "../host-error.ts";
import type { ResultMessage, SdkMessage } from "./sdk.ts";

/** Claude waits by itself for less than this; who has to wait longer should let the whole run wait. */
const patience = 10_000;
/** Where a limit does not say when it ends. */
const aMinute = 60_000;

/** A limit that a running turn has met, if it takes long enough to give the turn up. */
export function longRateLimit(message: SdkMessage): RateLimitError | undefined {
  if (message.subtype !== "api_retry" || message.error !== "rate_limit") return undefined;
  const retryAfterMs = message.retry_delay_ms ?? aMinute;
  return retryAfterMs > patience ? new RateLimitError("Claude has met a rate limit.", { retryAfterMs }) : undefined;
}

/** When the limit of a subscription ends, in milliseconds since 1970. */
export function subscriptionResets({ rate_limit_info: info }: SdkMessage): number | undefined {
  return info?.status === "rejected" && info.resetsAt !== undefined ? info.resetsAt * 1000 : undefined;
}

/** Why a turn has failed that ended with an error. */
export function failedTurn(result: ResultMessage, resumeAt: number | undefined): Error {
  const message = result.result || result.errors?.join("\n") || "Claude does not say why.";
  if (resumeAt !== undefined) return new RateLimitError(message, { resumeAt });
  if (result.api_error_status === 429) return new RateLimitError(message, { retryAfterMs: aMinute });
  return new HostError("prompt-failed", { host: "claude", message: `Claude could not answer: ${message}` });
}

/** Why there was no end of the turn at all. */
export function brokenTurn(cause: unknown, said: string): HostError {
  const why = cause instanceof Error ? cause.message : "it ended without a result";
  return new HostError("host-failed", {
    host: "claude",
    message: `Claude has stopped in the middle of a turn: ${why}${said === "" ? "" : `\n${said}`}`,
    hint: "Run `claude` by hand in the same folder to see whether it starts and is logged in.",
    cause,
  });
}
