// GET, as npm would: with the user's credentials, certificates and proxy, a few attempts and a deadline.
import type { IncomingMessage } from "node:http";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { type Deadline, deadlineIn, fetchTimeout, SLOW_NETWORK } from "../limits.ts";
import { redact } from "../redact.ts";
import { certificateProblem } from "./certificate-problem.ts";
import { openRequest } from "./connection.ts";
import type { RegistrySettings } from "./settings.ts";

interface RegistryRequest {
  readonly url: string;
  readonly settings: RegistrySettings;
  readonly context: Pick<Context, "env" | "signal">;
}

/** Receives the body in chunks; throwing ends the request. */
type Receive<Value> = (status: number, body: AsyncIterable<Buffer>) => Promise<Value>;

/** Between the attempts, in milliseconds. */
const PAUSES = [100, 500];
const MOST_REDIRECTS = 5;
const AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Retries after server errors and broken connections; `receive` starts over each time. */
export async function get<Value>(asked: RegistryRequest, receive: Receive<Value>): Promise<Value> {
  const { env, signal } = asked.context;
  const { host } = new URL(asked.url);
  const at = redact(asked.url);
  signal?.throwIfAborted();
  const timeout = fetchTimeout(env);
  const deadline = deadlineIn(
    timeout,
    () => {
      const message = `The registry ${host} did not respond within ${timeout / 1000} seconds`;
      return new HugoError(SLOW_NETWORK.code, { message, at, hint: SLOW_NETWORK.hint });
    },
    // Its own signal: Node warns about a leak when many requests listen to one.
    signal && AbortSignal.any([signal]),
  );
  try {
    for (let attempt = 0; ; attempt++) {
      const pause = PAUSES[attempt];
      try {
        return await attemptGet(asked, deadline, async (status, body) => {
          if (pause !== undefined && AGAIN.has(status)) throw new Unsteady(`it returned status ${status}`);
          return await receive(status, body);
        });
      } catch (error) {
        if (!(error instanceof Unsteady)) throw error;
        const { cause } = error;
        const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
        const certificate = certificateProblem(code, asked.settings);
        if (certificate !== undefined) {
          const message = `The registry ${host} cannot be used: ${certificate.reason} (${code})`;
          throw new HugoError("network-failed", { message, at, hint: certificate.hint, cause: error });
        }
        if (pause === undefined || HOPELESS.test(code)) {
          throw new HugoError("network-failed", {
            message: `The registry ${host} cannot be used: ${redact(error.message)}`,
            at,
            hint: "Check your connection, your proxy and the registry in .npmrc, then try again.",
            cause: error,
          });
        }
        await Promise.race([new Promise((resolve) => setTimeout(resolve, pause)), deadline.reached]);
      }
    }
  } finally {
    deadline.end();
  }
}

/** Nothing listens there, or the certificate is wrong: a second attempt would not help. */
const HOPELESS = /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|DNSResolveFailed|.*CERT.*|.*SIGNED.*)$/;

/** A network failure, as opposed to a problem with the content. */
class Unsteady extends Error {}

function unsteady(cause: unknown): Unsteady {
  return new Unsteady((cause as Error).message || String((cause as NodeJS.ErrnoException).code), { cause });
}

async function attemptGet<Value>(
  { url: first, settings, context }: RegistryRequest,
  { reached, over }: Deadline,
  receive: Receive<Value>,
): Promise<Value> {
  let url = new URL(first);
  let isSentHere = false;
  for (let redirects = 0; ; redirects++) {
    const opening = openRequest(url, { settings, env: context.env, over, isSentHere }).catch((error: unknown) => {
      // A setting that cannot be used says so itself.
      throw error instanceof HugoError ? error : unsteady(error);
    });
    try {
      const request = await Promise.race([opening, reached]);
      const answer = new Promise<IncomingMessage>((resolve, reject) => {
        request.once("response", resolve);
        // Stays: an abandoned request fails once more.
        request.on("error", (error) => reject(unsteady(error)));
      });
      const response = await Promise.race([answer, reached]);
      const { statusCode: status = 0 } = response;
      const next = status >= 300 && status < 400 ? response.headers.location : undefined;
      if (next === undefined) return await Promise.race([receive(status, bodyOf(response)), reached]);
      if (redirects === MOST_REDIRECTS) throw new Unsteady("it redirects too many times");
      if (!URL.canParse(next, url.href)) throw new Unsteady("it redirects to an invalid address");
      const target = new URL(next, url.href);
      // Never from https to plain http: an attacker could have answered.
      const isAllowed = target.protocol === "https:" || (target.protocol === "http:" && url.protocol === "http:");
      if (!isAllowed) throw new Unsteady("it redirects to an unsafe address");
      isSentHere ||= target.host !== url.host;
      url = target;
    } finally {
      // A request that could not be opened has been reported already.
      void opening.then((request) => request.destroy()).catch(() => undefined);
    }
  }
}

/** Distinguishes a connection that breaks midway from a problem with the content. */
async function* bodyOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const next = async (): Promise<IteratorResult<Buffer>> => {
    try {
      return await chunks.next();
    } catch (error) {
      throw unsteady(error);
    }
  };
  for (let chunk = await next(); chunk.done !== true; chunk = await next()) yield chunk.value;
}
