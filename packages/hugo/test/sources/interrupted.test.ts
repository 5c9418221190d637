import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { fetching } from "./fetching.ts";

setDefaultTimeout(180_000);

/** Programs that connect to it tell by that when they start and when they have ended. */
async function lifeline() {
  const arrivals: Socket[] = [];
  let arrive: (socket: Socket) => void = (socket) => arrivals.push(socket);
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    arrive(socket);
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    async started(): Promise<{ ended: Promise<void> }> {
      const socket = arrivals.shift() ?? (await new Promise<Socket>((resolve) => (arrive = resolve)));
      return { ended: new Promise((resolve) => socket.once("close", () => resolve())) };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of arrivals) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A git that starts another program and waits for it, which takes for ever. */
function endlessGit(port: number): string {
  const program = `require("net").connect(${port}, "127.0.0.1").resume()`;
  return `#!/bin/sh\nnode -e '${program}' &\nwait\n`;
}

const repository = "git+file:///nowhere/plug.git";

async function endlessFetching(port: number, env: Record<string, string> = {}) {
  const it = await fetching({ env, files: { "~/bin/git": endlessGit(port) } });
  await it.project.run(["chmod", "+x", join(it.project.home, "bin/git")]);
  return { it, path: `${it.project.home}/bin:${it.project.env.PATH}` };
}

test("a git past its deadline is ended with all that it started", async () => {
  await using line = await lifeline();
  const { it, path } = await endlessFetching(line.port, { HUGO_FETCH_TIMEOUT: "2" });
  await using _project = it;
  const [{ ended }, refusal] = await Promise.all([line.started(), it.withEnv({ PATH: path }).refusal(repository)]);
  await ended;
  expect(refusal.message).toBe("git did not finish within 2 seconds and was stopped");
});

test.each([
  ["SIGINT", [], { code: null, signal: "SIGINT" }],
  ["SIGTERM", [], { code: null, signal: "SIGTERM" }],
  ["SIGTERM", ["listens"], { code: 9, signal: null }],
] as const)("%s to Hugo %j ends git and then Hugo, as without a listener", async (signal, args, exit) => {
  await using line = await lifeline();
  const { it, path } = await endlessFetching(line.port);
  await using _project = it;
  const into = it.project.path("into");
  await mkdir(into);
  const script = join(import.meta.dir, "fixtures/fetch.ts");
  const hugo = await it.project.start(["bun", script, repository, into, ...args], { env: { PATH: path } });
  const { ended } = await line.started();
  // To Hugo alone, as a supervisor would; a terminal would tell the whole group.
  process.kill(hugo.pid, signal);
  await ended;
  expect(await hugo.end(30_000)).toEqual(exit);
});

test("an aborted request leaves no connection behind", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "review", version: "1.0.0" });
  using slow = registry.fault("review", { kind: "slow" });
  await using it = await fetching({ registry });
  const into = it.project.path("into");
  await mkdir(into);
  const script = join(import.meta.dir, "fixtures/fetch.ts");
  const hugo = await it.project.start(["bun", script, "review", into], { env: { HUGO_FETCH_TIMEOUT: "0.5" } });
  await slow.reached;
  // It ends although the registry still holds its answer back.
  expect(await hugo.end(30_000)).toMatchObject({ code: 1 });
  expect(hugo.stderr).toContain("did not respond within 0.5 seconds");
});
