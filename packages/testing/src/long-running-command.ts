// A command that an agent's shell tool runs: it connects to the test and keeps running. The connection says that it runs,
// its end says that the last process of it is gone, and neither needs a clock.
import { createServer } from "node:net";
import { listenOnLoopback } from "./loopback.ts";
import { deferred } from "./waiting.ts";

export interface LongRunningCommand extends AsyncDisposable {
  /** For any shell: Claude prefers zsh where there is one, and only bash has `/dev/tcp`. */
  readonly command: string;
  readonly started: Promise<void>;
  /** Settles when the last process of the command is gone. */
  readonly ended: Promise<void>;
}

export async function longRunningCommand(): Promise<LongRunningCommand> {
  const started = deferred();
  const ended = deferred();
  const server = createServer((socket) => {
    started.resolve();
    // A killed process may reset the connection instead of closing it.
    socket.on("error", () => undefined).on("close", ended.resolve);
    socket.resume();
  });
  const port = await listenOnLoopback(server);
  return {
    command: `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && sleep 600'`,
    started: started.promise,
    ended: ended.promise,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
