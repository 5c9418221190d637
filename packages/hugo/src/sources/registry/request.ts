// GET, as npm would: with the user's credentials, certificates and proxy, a few attempts and a deadline.
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { type Limit, limitOf } from "../limit.ts";
import { fetchTimeout, SLOW_NETWORK } from "../limits.ts";
import { redact } from "../redact.ts";
import { openRequest } from "./connection.ts";
import type { RegistrySettings } from "./settings.ts";

export interface Question {
  readonly url: string;
  readonly settings: RegistrySettings;
  readonly context: Pick<Context, "env" | "signal">;
}

/** Takes the body piece by piece; what it throws ends the request. */
export type Receive<Value> = (status: number, body: AsyncIterable<Buffer>) => Promise<Value>;

/** Between the attempts, in milliseconds. */
const PAUSES = [100, 500];
const MOST_REDIRECTS = 5;
const AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Answers of hosts that are in trouble, and connections that break, are tried again; `receive` starts anew each time. */
export async function get<Value>(question: Question, receive: Receive<Value>): Promise<Value> {
  const { env, signal } = question.context;
  signal?.throwIfAborted();
  const limit = limitOf(fetchTimeout(env), () => tooSlow(question), signal);
  try {
    return await getWithin(limit, question, receive);
  } finally {
    limit.end();
  }
}

async function getWithin<Value>(limit: Limit, question: Question, receive: Receive<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt++) {
    const pause = PAUSES[attempt];
    try {
      return await attemptGet(question, limit, async (status, body) => {
        if (pause !== undefined && AGAIN.has(status)) throw new Unsteady(`it answered with ${status}`);
        return await receive(status, body);
      });
    } catch (error) {
      if (!(error instanceof Unsteady)) throw error;
      if (pause === undefined || isHopeless(error)) throw unreachable(question.url, error);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, pause)), limit.reached]);
    }
  }
}

/** What the network did to us, as opposed to what went wrong with what came through. */
class Unsteady extends Error {}

function unsteady(cause: unknown): Unsteady {
  return new Unsteady((cause as Error).message || String((cause as NodeJS.ErrnoException).code), { cause });
}

async function attemptGet<Value>(question: Question, limit: Limit, receive: Receive<Value>): Promise<Value> {
  const { reached } = limit;
  let url = new URL(question.url);
  for (let redirects = 0; ; redirects++) {
    const opening = opened(url, question, limit);
    try {
      const request = await Promise.race([opening, reached]);
      const response = await Promise.race([responseTo(request), reached]);
      const { statusCode: status = 0 } = response;
      const next = status >= 300 && status < 400 ? response.headers.location : undefined;
      if (next === undefined) return await Promise.race([receive(status, bodyOf(response)), reached]);
      if (redirects === MOST_REDIRECTS) throw new Unsteady("it redirects without end");
      url = redirected(url, next);
    } finally {
      // One that could not be opened has been told already.
      void opening.then((request) => request.destroy()).catch(() => undefined);
    }
  }
}

/** Tells a connection that breaks in the middle from whatever is wrong with what came through. */
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

/** Never from https to plain http: somebody on the way could have answered. */
function redirected(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new Unsteady("it redirects to something that is no address");
  const next = new URL(location, from.href);
  const isAllowed = next.protocol === "https:" || (next.protocol === "http:" && from.protocol === "http:");
  if (!isAllowed) throw new Unsteady("it redirects to an address that is not safe");
  return next;
}

async function opened(url: URL, { settings, context }: Question, { over }: Limit): Promise<ClientRequest> {
  try {
    return await openRequest(url, settings, context.env, over);
  } catch (error) {
    throw unsteady(error);
  }
}

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    request.once("response", resolve);
    // Stays for good: a request that is given up fails once more.
    request.on("error", (error) => reject(unsteady(error)));
  });
}

/** Nobody listens there, or it is not who it says: a second attempt would not help. */
function isHopeless({ cause }: Unsteady): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|DNSResolveFailed|.*CERT.*|.*SIGNED.*)$/.test(code);
}

function unreachable(url: string, cause: Unsteady): HugoError {
  const { host } = new URL(url);
  return new HugoError("network-failed", {
    message: `The registry ${host} cannot be used: ${redact(cause.message)}`,
    at: redact(url),
    hint: "Look at your connection, your proxy and the registry in .npmrc, then try again.",
    cause,
  });
}

function tooSlow({ url, context: { env } }: Question): HugoError {
  return new HugoError(SLOW_NETWORK.code, {
    message: `The registry ${new URL(url).host} had not answered after ${fetchTimeout(env) / 1000} seconds`,
    at: redact(url),
    hint: SLOW_NETWORK.hint,
  });
}
