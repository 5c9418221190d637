// A database that accepts connections and never says a word.
import { createServer, type Socket } from "node:net";
import { type Deferred, deferred } from "@atomic/testing/waiting";

export interface SilentDatabase extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** When so many connections have been made. */
  connected(count: number): Promise<void>;
  /** Ends all connections: whoever waits gets an error. */
  hangUp(): void;
}

export async function silentDatabase(): Promise<SilentDatabase> {
  const sockets: Socket[] = [];
  let waiting: { readonly count: number; readonly reached: Deferred } | undefined;
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    if (waiting !== undefined && sockets.length >= waiting.count) waiting.reached.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    env: { ATOMIC_ENGINE: `postgres://someone@127.0.0.1:${port}/runs`, PGPASSWORD: "secret" },
    connected: async (count) => {
      if (sockets.length >= count) return;
      waiting = { count, reached: deferred() };
      await waiting.reached.promise;
    },
    hangUp,
    [Symbol.asyncDispose]: async () => {
      hangUp();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
