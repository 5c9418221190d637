// The program `opencode serve`, started by us and ended with us.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer, Socket } from "node:net";
import { signalGroup } from "@atomic/terminal/signal-group";
import { failed, object } from "./failure.ts";
import { unpackFolder } from "./unpack-folder.ts";

export interface Server {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Why the server ended, once it has. Stays pending if we cannot know. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** The program to start. Default: `opencode`, as `PATH` has it. */
  readonly program?: string;
  /** The program's whole environment. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const startDeadline = 60_000;
const stopDeadline = 3_000;

export function runningServer(url: string, password?: string): Server {
  return {
    url: url.replace(/\/+$/, ""),
    headers: password === undefined ? {} : authorization(password),
    ended: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

export async function startServer({ program = "opencode", env = process.env }: ServerOptions): Promise<Server> {
  const password = randomBytes(24).toString("base64url");
  const port = String(await unusedPort());
  let config = env.OPENCODE_CONFIG_CONTENT ?? "{}";
  try {
    // A call that is denied without a message would end the turn. If one of several calls at once is denied, OpenCode denies
    // the others without a message.
    const base = object(JSON.parse(config));
    config = JSON.stringify({ ...base, experimental: { ...object(base.experimental), continue_loop_on_deny: true } });
  } catch (error) {
    // OpenCode itself reports what is wrong with it.
    if (!(error instanceof SyntaxError)) throw error;
  }
  const unpacked = unpackFolder(env);
  const child = spawn(program, ["serve", "--hostname", "127.0.0.1", "--port", port], {
    env: { ...env, ...unpacked.env, OPENCODE_SERVER_PASSWORD: password, OPENCODE_CONFIG_CONTENT: config },
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group: we handle Ctrl-C, and whatever wraps the real program ends together with it.
    detached: process.platform !== "win32",
  });
  // The program's output says where it listens, and why it failed.
  let output = "";
  const url = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-4_000);
        const [, found] = /listening on (http:\S+)/.exec(output) ?? [];
        if (found !== undefined && stream === child.stdout) resolve(found);
      });
    }
  });
  const lastWords = (): string => (output.trim() === "" ? "" : ` It said:\n${output.trim()}`);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      unpacked.remove();
      const message = `The program "${program}" cannot be started: ${cause.message}`;
      const hint = "Install OpenCode with `npm install -g opencode-ai`, or choose another host (`--host claude`).";
      const isMissing = cause.code === "ENOENT" || cause.code === "EACCES";
      reject(isMissing ? failed("host-missing", message, { hint, cause }) : failed("host-failed", message, { cause }));
    });
  });
  const dismiss = guardProcess(child.pid as number, unpacked.path);
  const exit = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      dismiss();
      unpacked.remove();
      resolve(`\`opencode serve\` exited with ${signal ?? code}.${lastWords()}`);
    });
  });
  const stop = async (): Promise<void> => {
    signalGroup(child, "SIGTERM");
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), stopDeadline);
    await exit;
    clearTimeout(timer);
    signalGroup(child, "SIGKILL"); // what it has left behind in its group
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `\`opencode serve\` was not ready after ${startDeadline / 1000} s.${lastWords()}`;
      reject(failed("host-failed", message));
    }, startDeadline);
  });
  const ended = exit.then((reason) => Promise.reject(failed("host-failed", reason)));
  try {
    const address = await Promise.race([url, late, ended]);
    return { url: address, headers: authorization(password), ended: exit, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function authorization(password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` };
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

// The guard's input closes however we end. The process then gets up to two seconds to clean up. Its children need not be in its
// group (agents' tools run in their own sessions), so they are looked up before their parent is gone.
const script = `
trap "" TERM INT HUP
read -r end
children=$(ps -A -o pid= -o ppid= | awk -v root="$1" '
  { parent[$1] = $2 }
  END {
    for (pid in parent) {
      for (at = pid; at in parent && at + 0 > 1 && at != root; ) at = parent[at]
      if (at == root && pid != root) print pid
    }
  }')
if kill -s TERM -- "-$1"; then
  kill -s KILL $children
  tenths=20
  while [ $tenths -gt 0 ] && kill -s 0 -- "-$1"; do
    sleep 0.1
    tenths=$((tenths - 1))
  done
  kill -s KILL -- "-$1"
fi
rm -rf -- "$2"
`;

/**
 * Ends a process group and its children, and removes its folder, when this process is gone, even by `kill -9`. Returns a
 * function that removes the guard.
 */
function guardProcess(group: number, folder: string): () => void {
  const end = () => process.kill(group, "SIGTERM");
  if (process.platform === "win32") {
    process.once("exit", end);
    return () => process.off("exit", end);
  }
  const shell = spawn("/bin/sh", ["-c", script, "guard", String(group), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH ?? "" },
    // A Ctrl-C ends our whole process group.
    detached: true,
  });
  // The guard must not keep this process running.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  // Without a shell there is no guard, but everything else works.
  shell.on("error", () => undefined);
  return () => shell.kill("SIGKILL");
}
