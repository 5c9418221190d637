import { type AddressInfo, createServer, type Server } from "node:net";

/** Listens on a free port of 127.0.0.1 and returns the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  return (server.address() as AddressInfo).port;
}

// Below the ports that systems give to outgoing connections, so none of those takes one before its server does.
const first = 20_000;
const last = 29_999;
let next = first + Math.floor(Math.random() * (last - first + 1));

/**
 * A port that nothing listens on, a different one at every call. For port 0, OpenCode takes 4096 whenever it is free, and
 * a client that reaches a new server at an old server's address may reuse a dead connection.
 */
export async function unusedPort(): Promise<number> {
  for (let tries = 0; tries <= last - first; tries++) {
    const port = next;
    next = port === last ? first : port + 1;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        error.code === "EADDRINUSE" ? resolve(false) : reject(error),
      );
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error(`Every port from ${first} to ${last} is taken.`);
}
