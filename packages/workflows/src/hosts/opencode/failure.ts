import { RateLimitError } from "../../run/step-errors.ts";
import { HostError, type HostErrorCode } from "../host-error.ts";
import { amount, type Loose, object, text } from "./loose.ts";

export function failed(code: HostErrorCode, message: string, more: { hint?: string; cause?: unknown } = {}): HostError {
  return new HostError(code, { host: "opencode", message, ...more });
}

export function abortedTurn(): HostError {
  return failed("aborted", "The turn was aborted.");
}

/** What OpenCode says of a turn that went wrong. */
export function failureOf(error: Loose): Error {
  const { message, statusCode, responseHeaders } = object(error.data);
  const said = (text(message) ?? text(error.name) ?? "it does not say why").replace(/\n\s+at [\s\S]*/, "");
  if (error.name === "MessageAbortedError") return abortedTurn();
  if (statusCode === 429) return new RateLimitError(said, { retryAfterMs: retryAfter(object(responseHeaders)) });
  const hint = error.name === "ProviderAuthError" ? { hint: "Sign in with `opencode auth login`." } : {};
  return failed("prompt-failed", `OpenCode could not answer: ${said}`, hint);
}

const defaultWait = 60_000;

function retryAfter(headers: Loose): number {
  const milliseconds = Number(headers["retry-after-ms"]);
  if (milliseconds > 0) return milliseconds;
  const seconds = Number(headers["retry-after"]);
  return seconds > 0 ? seconds * 1000 : defaultWait;
}

/** Longer than OpenCode ever waits of its own accord: the provider has named a time. */
const longWait = 60_000;
/** Not worth a break of the whole run. */
const shortWait = 10_000;
const limits = /rate.?limit|too many requests|\b429\b|quota|usage limit/i;

/** Of a turn that OpenCode means to try again. A provider that merely stumbles is left to OpenCode, which gives up in time. */
export function rateLimitOf(status: Loose, now: number): RateLimitError | undefined {
  const wait = amount(status.next) - now;
  const message = text(status.message) ?? "The provider's limit is reached.";
  const isLimit = wait > longWait || (wait > shortWait && limits.test(message));
  return isLimit ? new RateLimitError(message, { resumeAt: now + wait }) : undefined;
}
