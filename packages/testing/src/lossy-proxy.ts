// Stands between a client and Postgres, counts statements, and breaks connections at the worst moment.
import { connect, createServer, type Socket } from "node:net";

export interface LossyProxy extends AsyncDisposable {
  /** The server's URL, through the proxy. */
  readonly url: string;
  /** What clients have sent, in order. */
  readonly statements: readonly string[];
  /**
   * Breaks the connection of the next statement that matches: before the server gets the `request`, or after it has
   * executed it and before the client gets the `answer`.
   */
  lose(what: "request" | "answer", matches?: RegExp): void;
  /** From now on, connections over which a statement has come that matches pass nothing on, though they stay open. */
  silence(matches: RegExp): void;
  /** Breaks all connections. */
  cut(): void;
}

export async function lossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const losses: { readonly what: "request" | "answer"; readonly matches: RegExp }[] = [];
  const statements: string[] = [];
  const silencers = new Set<(matches: RegExp) => void>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const close = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", close).on("close", close);
    }
    let isAnswerLost = false;
    let isSilent = false;
    const own: string[] = [];
    silencers.add((matches) => {
      isSilent ||= own.some((text) => matches.test(text));
    });
    const frames = new Frames();
    client.on("data", (chunk: Buffer) => {
      for (const text of frames.statementsIn(chunk)) {
        statements.push(text);
        own.push(text);
        const at = losses.findIndex(({ matches }) => matches.test(text));
        if (at === -1) continue;
        const [{ what } = { what: "answer" }] = losses.splice(at, 1);
        if (what === "request") return close();
        isAnswerLost = true;
      }
      if (!isSilent) upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      if (isAnswerLost) close();
      else if (!isSilent) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const own = new URL(url);
  own.host = `127.0.0.1:${port}`;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: own.href,
    statements,
    lose: (what, matches = /./) => losses.push({ what, matches }),
    silence: (matches) => {
      for (const silence of silencers) silence(matches);
    },
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Finds statements in what a client sends. The first message has no type. */
class Frames {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted = false;

  *statementsIn(chunk: Buffer): Generator<string> {
    let rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#isStarted ? 1 : 0;
      if (rest.length < head + 4) break;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) break;
      const [type, body] = [this.#isStarted ? String.fromCharCode(rest[0] ?? 0) : "", rest.subarray(head + 4, length)];
      // A request for TLS comes before the first message.
      if (!this.#isStarted && body.readInt32BE(0) !== 80877103) this.#isStarted = true;
      if (type === "P" || type === "Q") yield body.toString();
      rest = rest.subarray(length);
    }
    this.#rest = rest;
  }
}
