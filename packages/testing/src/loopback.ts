import type { AddressInfo, Server } from "node:net";

/** Listens on a free port of 127.0.0.1 and gives it. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  return (server.address() as AddressInfo).port;
}
