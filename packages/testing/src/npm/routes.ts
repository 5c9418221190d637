// The registry's addresses. Each route turns a request into an answer; faults and sockets are handled elsewhere.
import type { IncomingHttpHeaders } from "node:http";
import type { Stage } from "./faults.ts";
import {
  abbreviatedPackument,
  type PackumentJson,
  type PackumentOptions,
  packument,
  versionDocument,
} from "./packument.ts";
import { digests, type PackageManifest, type PublishedPackages, Refused } from "./published.ts";

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
      content: search(published, {
        text: query.get("text") ?? "",
        size: wholeNumber(query.get("size")) ?? 20,
        from: wholeNumber(query.get("from")) ?? 0,
      }),
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
      let packument: unknown;
      try {
        packument = JSON.parse(body.toString("utf8"));
      } catch (error) {
        if (error instanceof SyntaxError) throw new Refused(400, `the request body is not JSON: ${error.message}`);
        throw error;
      }
      acceptRelease(published, name, packument);
      return { status: 201, content: { ok: true } };
    },
  },
  {
    method: "GET",
    pattern: new RegExp(`^${NAME}$`),
    stage: "packument",
    answer: (context, name, _rest, { headers }) => {
      const wantsAbbreviated = headers.accept?.includes("application/vnd.npm.install-v1+json") ?? false;
      const render = wantsAbbreviated ? abbreviatedPackument : packument;
      return { status: 200, content: render(context.published.find(name), context) };
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
    return {
      name,
      stage: route.stage,
      answer: (request, context) => {
        if (route.needsToken && request.headers.authorization !== `Bearer ${context.token}`) {
          const error = `${request.method} /${request.path} needs this registry's token`;
          return { status: 401, content: { error } };
        }
        try {
          return route.answer(context, name, rest, request);
        } catch (error) {
          if (error instanceof Refused) return { status: error.status, content: { error: error.message } };
          throw error;
        }
      },
    };
  }
  return refusing(404, `this registry has no ${method} /${path}`);
}

export function refusing(status: number, message: string): MatchedRoute {
  return { name: "", stage: undefined, answer: () => ({ status, content: { error: message } }) };
}

// `npm publish` and `bun publish` PUT a packument of one release, with its tarball attached.
export function acceptRelease(published: PublishedPackages, name: string, body: unknown): void {
  const doc = asObject(body, "the packument");
  if (doc.name !== name) throw new Refused(400, `the packument is of "${doc.name}", the address says "${name}"`);
  const [tag] = Object.keys(asObject(doc["dist-tags"] ?? {}, "dist-tags"));
  const [sent] = Object.values(asObject(doc.versions ?? {}, "versions")) as PackageManifest[];
  const attachments = Object.values(asObject(doc._attachments ?? {}, "_attachments")) as PackumentJson[];
  if (!sent) throw new Refused(400, "the packument has no version");
  const [attachment] = attachments;
  if (!attachment) throw new Refused(400, "the packument has no tarball");
  const tarball = Buffer.from(String(attachment.data), "base64");
  const { dist, ...manifest } = sent;
  const { integrity } = (dist ?? {}) as PackumentJson;
  if (integrity !== undefined && integrity !== digests(tarball).integrity) {
    throw new Refused(400, `the tarball of ${sent.name}@${sent.version} is not the one that dist.integrity announces`);
  }
  published.publish({ manifest: manifest as PackageManifest, tarball, tag });
}

function asObject(value: unknown, what: string): PackumentJson {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as PackumentJson;
  throw new Refused(400, `${what} is not an object`);
}

// `npm search`: words match name, description and keywords; `keywords:a,b` asks for keywords only.
export interface SearchQuery {
  text: string;
  size: number;
  from: number;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

export function search(published: PublishedPackages, { text, size, from }: SearchQuery): PackumentJson {
  const terms = text
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== "");
  const found = published
    .names()
    .sort()
    .map((name) => published.findRelease(name, "latest"))
    .filter(({ manifest }) => {
      const keywords = keywordsOf(manifest).map((keyword) => keyword.toLowerCase());
      const known = [manifest.name, manifest.description ?? "", ...keywords].join("\n").toLowerCase();
      return terms.every((term) => {
        const wanted = /^keywords:(.+)$/.exec(term)?.[1];
        return wanted === undefined ? known.includes(term) : wanted.split(",").every((word) => keywords.includes(word));
      });
    });
  const tester = { username: "tester", email: "tester@example.test" };
  return {
    objects: found.slice(from, from + size).map(({ manifest, publishedAt }) => ({
      package: {
        name: manifest.name,
        scope: /^@([^/]+)\//.exec(manifest.name)?.[1] ?? "unscoped",
        version: manifest.version,
        description: manifest.description ?? "",
        keywords: keywordsOf(manifest),
        date: publishedAt,
        links: {},
        publisher: tester,
        maintainers: [tester],
      },
      score: { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } },
      searchScore: 1,
    })),
    total: found.length,
    time: found[0]?.publishedAt ?? "",
  };
}

function keywordsOf(manifest: PackumentJson): string[] {
  const { keywords } = manifest;
  return Array.isArray(keywords) ? keywords.map(String) : [];
}
