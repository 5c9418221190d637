import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface BrokenLine extends AsyncDisposable {
  readonly url: string;
  /** Cuts every connection, and makes none until it is mended. */
  cut(): void;
  mend(): void;
  /** Resolves once a client has tried to connect since it was cut. */
  tried(): Promise<void>;
}

/** A line to a server that can be cut. */
export async function brokenLine(target: string): Promise<BrokenLine> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  let tried = Promise.withResolvers<void>();
  const server = createServer((near) => {
    if (isCut) {
      tried.resolve();
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [one, two] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one);
      one.pipe(two);
      one
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(one);
          two.destroy();
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      tried = Promise.withResolvers();
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    tried: () => tried.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
