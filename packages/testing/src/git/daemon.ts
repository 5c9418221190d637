// The real `git daemon`, one process a connection in its inetd mode: this process owns the listening socket,
// so the port is never guessed, never raced for, and ready when the promise settles.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import { listenOnLoopback } from "../loopback.ts";

export interface GitDaemon extends AsyncDisposable {
  /** `git://127.0.0.1:<port>/<name>.git` */
  readonly url: string;
  readonly port: number;
  /** How many clients have connected. */
  readonly connections: number;
}

/** Why `git daemon` cannot run here, or undefined if it can. */
export function gitDaemonMissing(): string | undefined {
  const { status, error } = spawnSync("git", ["daemon", "--help-me-not"], { stdio: "ignore" });
  if (error) return `git cannot be started: ${error.message}`;
  // An unknown option ends with 129 (usage); a git without the daemon says 1, "not a git command".
  return status === 129 ? undefined : "this git has no `daemon` command (some systems package it apart)";
}

export async function gitDaemon(repo: { dir: string; env: Readonly<Record<string, string>> }): Promise<GitDaemon> {
  const sockets = new Set<Socket>();
  const children = new Set<ChildProcess>();
  let connections = 0;

  const server = createServer((socket) => {
    connections += 1;
    const base = dirname(repo.dir);
    const child = spawn("git", ["daemon", "--inetd", "--export-all", `--base-path=${base}`, base], {
      env: repo.env,
      stdio: ["pipe", "pipe", "ignore"],
      // `git` starts `git-daemon`, which starts `git upload-pack`: they are ended as one group.
      detached: true,
    });
    sockets.add(socket);
    children.add(child);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    // A client that leaves early breaks both pipes; the daemon sees it and ends by itself.
    for (const stream of [socket, child.stdin]) stream.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
    child.once("exit", () => children.delete(child));
    child.once("error", () => {
      children.delete(child);
      socket.destroy();
    });
  });
  const port = await listenOnLoopback(server);

  return {
    url: `git://127.0.0.1:${port}/${basename(repo.dir)}`,
    port,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      const exits = [...children].map(async (child) => {
        // Not "close": output that a client did not wait for stays unread, and then the streams never close.
        const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
        try {
          process.kill(-(child.pid as number), "SIGKILL");
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it ended in the meantime
        }
        await ended;
      });
      await Promise.all(exits);
      await closed;
    },
  };
}
