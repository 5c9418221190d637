// An npm registry in this process: real clients publish to it and install from it, nothing is fetched from elsewhere.

import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback } from "./loopback.ts";
import { type FaultHandle, FaultSwitches, type MetFault, type RegistryFault } from "./npm/faults.ts";
import { type PackageManifest, PublishedPackages, type PublishedVersion } from "./npm/published.ts";
import { matchRoute, type RegistryAnswer, refusing } from "./npm/routes.ts";
import { packageEntries, type TarballEntry, tarball } from "./npm/tarball.ts";

export interface PackageToPublish {
  name: string;
  version: string;
  /** Paths inside the package. Without a `package.json` one is written from name, version and `manifest`. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** More fields of package.json: `main`, `dependencies`, `keywords`, … */
  manifest?: Readonly<Record<string, unknown>>;
  /** Further tar entries, written as they are: links, devices, paths that leave the package. */
  entries?: readonly TarballEntry[];
  /** When it was published; by default one minute after the previous release. */
  time?: string;
  /** The dist-tag that points at it; `latest` by default. */
  tag?: string;
}

export interface TarballToPublish {
  name: string;
  version: string;
  tarball: Uint8Array;
  manifest?: Readonly<Record<string, unknown>>;
  time?: string;
  tag?: string;
}

interface RecordedRequest {
  readonly method: string;
  /** Decoded if it can be, with the leading slash and without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** What the client saw; undefined while the answer is held back. */
  readonly outcome: RegistryOutcome | undefined;
}

export interface NpmRegistry extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
  /** Allows publishing. */
  readonly token: string;
  /** What npm, bun and OpenCode's installer need in their environment to use this registry. */
  readonly env: Readonly<Record<string, string>>;
  /** The same as the text of an `.npmrc`. */
  readonly npmrc: string;
  readonly requests: readonly RecordedRequest[];
  publish(...packages: PackageToPublish[]): void;
  /** Publishes these bytes, whatever they are. */
  publishTarball(pkg: TarballToPublish): PublishedVersion;
  /** Without a version the whole package goes. */
  unpublish(name: string, version?: string): void;
  deprecate(name: string, version: string, message: string): void;
  tag(name: string, tag: string, version: string): void;
  /**
   * Shows a fault to requests about this package (`*`: all packages), until removed or shown `times` times. A package that
   * is not published yet needs `beforePublish`, because a fault of a misspelt name would never be met.
   */
  fault(target: string, fault: RegistryFault, options?: { beforePublish?: boolean }): FaultHandle;
}

export async function npmRegistry(): Promise<NpmRegistry> {
  const published = new PublishedPackages();
  const faults = new FaultSwitches();
  const requests: Writable<RecordedRequest>[] = [];
  const token = "loopback-token";

  const server = createServer((request, response) => {
    // A fault of the registry itself: the client's error output should show it.
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error instanceof Error ? error.stack : error));
    });
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`;
  const authKey = `//${new URL(url).host}/:_authToken`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    const { pathname, searchParams: query, search } = new URL(request.url ?? "/", url);
    let path = pathname.slice(1);
    let isEncodedWell = true;
    try {
      path = decodeURIComponent(path); // clients write a scoped name as `@scope%2fname`
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      isEncodedWell = false;
    }
    const record: Writable<RecordedRequest> = { method, path: `/${path}`, query: search, headers, outcome: undefined };
    requests.push(record);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const route = isEncodedWell ? matchRoute(method, path) : refusing(400, `the address /${path} is not well encoded`);
    const met = route.stage ? faults.meet(route.name, route.stage) : [];
    const context = {
      published,
      token,
      registryUrl: url,
      wrongIntegrity: met.some(({ fault }) => fault.kind === "wrong-integrity"),
      withoutTime: met.some(({ fault }) => fault.kind === "missing-time"),
    };
    for (const { fault, released } of met) if (fault.kind === "slow") await released;
    const status = has(met, "status")?.status;
    const content: RegistryAnswer =
      status === undefined
        ? route.answer({ method, path, query, headers, body }, context)
        : { status, content: { error: `a fault answers with ${status}` } };
    record.outcome = await send(request, response, content, met);
  }

  function publishTarball({ name, version, tarball, manifest, time, tag }: TarballToPublish): PublishedVersion {
    return published.publish({ manifest: { ...manifest, name, version }, tarball, time, tag });
  }

  return {
    url,
    token,
    env: {
      npm_config_registry: url,
      [`npm_config_${authKey}`]: token,
      BUN_CONFIG_REGISTRY: url,
      BUN_CONFIG_TOKEN: token,
      // Otherwise npm asks for its own newest version first.
      npm_config_update_notifier: "false",
      npm_config_fetch_retries: "2",
      // npm tries again as it would on the real network, only without ten seconds between the attempts.
      npm_config_fetch_retry_mintimeout: "1",
      npm_config_fetch_retry_maxtimeout: "1",
    },
    npmrc: `registry=${url}\n${authKey}=${token}\n`,
    requests,
    publish: (...packages) => {
      for (const pkg of packages) {
        const { name, version, files = {}, manifest = {}, entries = [] } = pkg;
        const given = files["package.json"];
        const described: PackageManifest = given
          ? JSON.parse(Buffer.from(given as string).toString("utf8"))
          : { name, version, ...manifest };
        if (described.name !== name || described.version !== version) {
          const found = `${described.name}@${described.version}`;
          throw new Error(
            `${name}@${version} cannot be published: its package.json is of ${found}. Use publishTarball if the two should disagree.`,
          );
        }
        const all = { "package.json": `${JSON.stringify(described, null, 2)}\n`, ...files };
        const packed = tarball([...packageEntries(all), ...entries]);
        publishTarball({ ...pkg, manifest: described, tarball: packed });
      }
    },
    publishTarball,
    unpublish: (name, version) => published.unpublish(name, version),
    deprecate: (name, version, message) => published.deprecate(name, version, message),
    tag: (name, tag, version) => published.tag(name, tag, version),
    fault: (target, fault, { beforePublish = false } = {}) => {
      if (target !== "*" && !beforePublish && !published.names().includes(target)) {
        const remedy = "publish it first, or say { beforePublish: true }";
        throw new Error(`"${target}" is not published, so no request would meet the fault: ${remedy}.`);
      }
      return faults.add(target, fault);
    },
    async [Symbol.asyncDispose]() {
      faults.releaseAll();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What the client saw: a status, or a broken connection. */
export type RegistryOutcome = number | "reset";

/** Sends an answer with the faults it has to show. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RegistryAnswer,
  faults: readonly MetFault[],
): Promise<RegistryOutcome> {
  const reset = has(faults, "reset");
  if (reset?.at === "headers") {
    request.socket.destroy();
    return "reset";
  }

  const { content } = answer;
  const whole = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const cut = has(faults, "truncated") ?? has(faults, "corrupt-json");
  const body = cut ? half(whole) : whole;
  const etag = `"${createHash("sha1").update(body).digest("hex")}"`;
  if (answer.status === 200 && faults.length === 0 && request.headers["if-none-match"] === etag) {
    response.writeHead(304, { etag }).end();
    return 304;
  }
  response.writeHead(answer.status, {
    "content-type": Buffer.isBuffer(answer.content) ? "application/octet-stream" : "application/json",
    "content-length": body.length,
    // Clients may keep what they got, but must ask again: a test publishes and installs in the same second.
    "cache-control": "no-cache",
    ...(answer.status === 200 ? { etag } : {}),
  });
  if (reset) {
    await new Promise<void>((written) => response.write(half(body), () => written()));
    request.socket.destroy();
    return "reset";
  }
  response.end(request.method === "HEAD" ? undefined : body);
  return answer.status;
}

function has<Kind extends RegistryFault["kind"]>(
  faults: readonly MetFault[],
  kind: Kind,
): Extract<RegistryFault, { kind: Kind }> | undefined {
  return faults.map((it) => it.fault).find((it): it is Extract<RegistryFault, { kind: Kind }> => it.kind === kind);
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
