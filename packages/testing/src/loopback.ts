import { type AddressInfo, createServer, type Server } from "node:net";

/** Listens on a free port of 127.0.0.1 and gives it. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  return (server.address() as AddressInfo).port;
}

// Below the ports that systems give to outgoing connections, so that none of those takes one before its server does.
const first = 20_000;
const last = 29_999;
let next = first + Math.floor(Math.random() * (last - first + 1));

/**
 * A port that nothing listens on, a different one at every call. OpenCode asked for port 0 takes 4096 whenever it is free, and
 * a client that reaches the next server at the address of the last one may be handed a connection to the dead.
 */
export async function unusedPort(): Promise<number> {
  for (let tries = 0; tries <= last - first; tries++) {
    const port = next;
    next = port === last ? first : port + 1;
    if (await canListen(port)) return port;
  }
  throw new Error(`Every port from ${first} to ${last} is taken.`);
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise<boolean>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
