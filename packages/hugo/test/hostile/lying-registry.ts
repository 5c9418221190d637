// A registry that can tell each client something else. It stands in front of two honest ones: what it should say, and what an
// attacker would like to be loaded.
import { createServer, type IncomingHttpHeaders } from "node:http";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";

export interface Asked {
  readonly kind: "packument" | "tarball";
  readonly headers: IncomingHttpHeaders;
  /** How often this was asked before. */
  readonly before: number;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** What a lie does to the answers about one package. */
export interface Lie {
  /** Whether the attacker's registry answers. */
  isEvil?(asked: Asked): boolean;
  /** Changes the answer. */
  edit?(answer: Answer, asked: Asked): void;
}

export interface LyingRegistry extends AsyncDisposable {
  readonly url: string;
  readonly good: NpmRegistry;
  readonly evil: NpmRegistry;
  /** Another host, which serves both registries below `/good/` and `/evil/`. */
  readonly elsewhere: string;
  /** What the other host was asked. */
  readonly asked: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  lie(name: string, lie: Lie): void;
}

export async function lyingRegistry(): Promise<LyingRegistry> {
  const stack = new AsyncDisposableStack();
  const [good, evil] = [stack.use(await npmRegistry()), stack.use(await npmRegistry())];
  const lies = new Map<string, Lie>();
  const counts = new Map<string, number>();
  const asked: { path: string; headers: IncomingHttpHeaders }[] = [];

  const from = async (registry: NpmRegistry, path: string, headers: IncomingHttpHeaders): Promise<Answer> => {
    const { accept = "*/*" } = headers;
    const response = await fetch(`${registry.url}${path}`, { headers: { accept } });
    const type = response.headers.get("content-type") ?? "";
    const bytes = Buffer.from(await response.arrayBuffer());
    // It calls the other registries' tarballs its own.
    const body = type.includes("json") ? Buffer.from(bytes.toString("utf8").replaceAll(registry.url, url)) : bytes;
    return { status: response.status, headers: { "content-type": type }, body };
  };
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").slice(1);
    const name = decodeURIComponent(path).replace(/\/-\/.*/, "");
    const kind = path.endsWith(".tgz") ? "tarball" : "packument";
    const { headers } = request;
    const key = `${kind} ${name}`;
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    const lie = lies.get(name);
    const asking = { kind, headers, before } as const;
    const answer = await from(lie?.isEvil?.(asking) === true ? evil : good, path, headers);
    lie?.edit?.(answer, asking);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const other = createServer(async (request, response) => {
    const [, whose, path = ""] = /^\/(good|evil)\/(.*)$/.exec(request.url ?? "") ?? [];
    asked.push({ path: request.url ?? "", headers: request.headers });
    const answer = await from(whose === "evil" ? evil : good, path, request.headers);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`;
  const elsewhere = `http://127.0.0.1:${await listenOnLoopback(other)}/`;
  for (const each of [server, other]) {
    stack.defer(() => {
      each.closeAllConnections();
      each.close();
    });
  }
  return {
    url,
    good,
    evil,
    elsewhere,
    asked,
    lie: (name, lie) => void lies.set(name, lie),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
