import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { listenOnLoopback } from "../loopback.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { deferred } from "../waiting.ts";

export interface SlowDisposal extends AsyncDisposable {
  /** For the `plugin` array of a config. */
  readonly plugin: string;
  /** The next disposals of an instance that has the plugin take until `end`. */
  hold(): Held;
}

export interface Held {
  /** Settles when OpenCode has begun to dispose of an instance. */
  readonly begun: Promise<void>;
  end(): void;
}

/**
 * A plugin with one agent, whose disposal takes until the test says so. What is asked of OpenCode meanwhile makes it lose
 * what its plugins brought: without such a plugin that happens only now and then.
 */
export async function slowDisposal(agent: string): Promise<SlowDisposal> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder("slow-disposal-"));
  let begun = deferred();
  let ended = deferred();
  ended.resolve();
  const server = createServer((_, response) => {
    begun.resolve();
    void ended.promise.then(() => response.end());
  });
  const port = await listenOnLoopback(server);
  stack.defer(() => {
    ended.resolve();
    server.closeAllConnections();
    server.close();
  });
  const file = join(folder.path, "plugin.ts");
  await writeFile(
    file,
    `export default {
  id: ${JSON.stringify(agent)},
  server: async () => ({
    config: async (config) => {
      config.agent = { ...config.agent, ${JSON.stringify(agent)}: { mode: "all", prompt: "Take your time." } };
    },
    dispose: async () => {
      await fetch("http://127.0.0.1:${port}/");
    },
  }),
};
`,
  );
  return {
    plugin: pathToFileURL(file).href,
    hold() {
      begun = deferred();
      ended = deferred();
      return { begun: begun.promise, end: ended.resolve };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
