// The registry's addresses. Each route turns a request into an answer; faults and sockets are not its business.
import type { IncomingHttpHeaders } from "node:http";
import type { Stage } from "./faults.ts";
import { abbreviatedPackument, type PackumentJson, type PackumentOptions, packument, versionDocument } from "./packument.ts";
import { acceptRelease } from "./publish-request.ts";
import { type PublishedPackages, Refused } from "./published.ts";
import { search, searchQuery } from "./search.ts";

export interface RegistryRequest {
  method: string;
  /** Decoded, without the leading slash. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface RouteContext extends PackumentOptions {
  published: PublishedPackages;
  token: string;
}

export interface RegistryAnswer {
  status: number;
  content: PackumentJson | string | Buffer;
}

export interface MatchedRoute {
  /** The package the request is about; empty for requests about none. */
  name: string;
  /** Which faults may touch the answer; writes show none. */
  stage: Stage | undefined;
  answer(request: RegistryRequest, context: RouteContext): RegistryAnswer;
}

interface Route {
  method: string;
  pattern: RegExp;
  stage?: Stage;
  needsToken?: boolean;
  answer(context: RouteContext, name: string, rest: string, request: RegistryRequest): RegistryAnswer;
}

const NAME = "(@[^/]+/[^/]+|[^/@-][^/]*)";

const routes: readonly Route[] = [
  {
    method: "GET",
    pattern: /^-\/v1\/search$/,
    stage: "search",
    answer: ({ published }, _name, _rest, { query }) => ({
      status: 200,
      content: search(published, searchQuery(query)),
    }),
  },
  {
    method: "GET",
    pattern: new RegExp(`^${NAME}/-/(.+[.]tgz)$`),
    stage: "tarball",
    answer: ({ published }, name, file) => ({ status: 200, content: published.findTarball(name, file) }),
  },
  {
    method: "PUT",
    pattern: new RegExp(`^${NAME}$`),
    needsToken: true,
    answer: ({ published }, name, _rest, { body }) => {
      acceptRelease(published, name, parseBody(body));
      return { status: 201, content: { ok: true } };
    },
  },
  {
    method: "GET",
    pattern: new RegExp(`^${NAME}$`),
    stage: "packument",
    answer: (context, name, _rest, { headers }) => {
      const draw = wantsAbbreviated(headers) ? abbreviatedPackument : packument;
      return { status: 200, content: draw(context.published.find(name), context) };
    },
  },
  {
    method: "GET",
    pattern: new RegExp(`^${NAME}/([^/]+)$`),
    stage: "packument",
    answer: (context, name, version) => ({
      status: 200,
      content: versionDocument(context.published.findRelease(name, version), context),
    }),
  },
];

export function matchRoute(method: string, path: string): MatchedRoute {
  const asked = method === "HEAD" ? "GET" : method;
  for (const route of routes) {
    const match = asked === route.method ? route.pattern.exec(path) : null;
    if (!match) continue;
    const [, name = "", rest = ""] = match;
    return { name, stage: route.stage, answer: (request, context) => answerRoute(route, name, rest, request, context) };
  }
  return refusing(new Refused(404, `this registry has no ${method} /${path}`));
}

export function badAddress(path: string): MatchedRoute {
  return refusing(new Refused(400, `the address /${path} is not well encoded`));
}

function refusing(refused: Refused): MatchedRoute {
  return { name: "", stage: undefined, answer: () => refusal(refused) };
}

function answerRoute(
  route: Route,
  name: string,
  rest: string,
  request: RegistryRequest,
  context: RouteContext,
): RegistryAnswer {
  if (route.needsToken && request.headers.authorization !== `Bearer ${context.token}`) {
    return refusal(new Refused(401, `${request.method} /${request.path} needs this registry's token`));
  }
  try {
    return route.answer(context, name, rest, request);
  } catch (error) {
    if (error instanceof Refused) return refusal(error);
    throw error;
  }
}

function refusal({ status, message }: Refused): RegistryAnswer {
  return { status, content: { error: message } };
}

function wantsAbbreviated(headers: IncomingHttpHeaders): boolean {
  return headers.accept?.includes("application/vnd.npm.install-v1+json") ?? false;
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refused(400, `the request body is not JSON: ${error.message}`);
    throw error;
  }
}
