import { RateLimitError } from "../../run/step-errors.ts";
import { abortedTurn, HostError, type HostErrorCode, isRefusal } from "../host.ts";

export function failed(
  code: HostErrorCode,
  message: string,
  more: { hint?: string | undefined; cause?: unknown; isPermanent?: boolean } = {},
): HostError {
  return new HostError(code, { host: "opencode", message, ...more });
}

/**
 * The error for a turn that failed, from what OpenCode reports.
 *
 * @param reply The message that the agent had begun, if there is one.
 */
export function failureOf(error: Untyped, reply: Untyped = {}): Error {
  const { message, statusCode, responseHeaders } = object(error.data);
  const said = (text(message) ?? text(error.name) ?? "no reason was given").replace(/\n\s+at [\s\S]*/, "");
  if (error.name === "MessageAbortedError") return abortedTurn("opencode");
  if (statusCode === 429) {
    const { "retry-after-ms": ms, "retry-after": seconds } = object(responseHeaders);
    const retryAfterMs = Number(ms) > 0 ? Number(ms) : Number(seconds) > 0 ? Number(seconds) * 1000 : defaultWait;
    return new RateLimitError(said, { retryAfterMs });
  }
  const isLogin = error.name === "ProviderAuthError" || statusCode === 401;
  return failed(isLogin ? "login-missing" : "prompt-failed", `OpenCode could not answer: ${said}`, {
    hint: isLogin ? "Sign in with `opencode auth login`." : modelHint(reply),
    isPermanent: isLogin || isRefusal(statusCode) || said.startsWith("Model not found"),
  });
}

/** You may not have chosen it: without a login, OpenCode uses models of its own. */
function modelHint({ providerID, modelID }: Untyped): string | undefined {
  const provider = text(providerID);
  if (provider === undefined || text(modelID) === undefined) return undefined;
  const more = provider === "opencode" ? " `opencode auth login` adds other providers." : "";
  return `The model was ${provider}/${modelID}; \`opencode models\` lists those that you can use.${more}`;
}

const defaultWait = 60_000;

/** Longer than OpenCode waits unless the provider named a time. */
const longWait = 60_000;
/** Not worth pausing the whole run for. */
const shortWait = 10_000;
const limits = /rate.?limit|too many requests|\b429\b|quota|usage limit/i;

/** The rate limit behind a retry that OpenCode announces, if it is one. Other retries are left to OpenCode, which gives up in time. */
export function rateLimitOf(status: Untyped, now: number): RateLimitError | undefined {
  const wait = amount(status.next) - now;
  const message = text(status.message) ?? "The provider's limit has been reached.";
  const isLimit = wait > longWait || (wait > shortWait && limits.test(message));
  return isLimit ? new RateLimitError(message, { resumeAt: now + wait }) : undefined;
}

/** OpenCode's answers and events change from version to version, so nothing in them is taken for granted. */
export type Untyped = Readonly<Record<string, unknown>>;

export function object(value: unknown): Untyped {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Untyped) : {};
}

export function list(value: unknown): readonly Untyped[] {
  return Array.isArray(value) ? value.map(object) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** 0 for anything that is not an amount. */
export function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
