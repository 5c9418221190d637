// The program `opencode serve`, started by us and ended with us.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { guardProcess } from "../process-guard.ts";
import { failed } from "./failure.ts";
import { type Loose, object } from "./loose.ts";

export interface Server {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Why there is none any more, once that is so. Pending for ever if nobody here would know. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** The program to start. Default: `opencode`, as `PATH` has it. */
  readonly program?: string;
  /** The whole environment of the program. Default: ours. */
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
  const child = spawn(program, ["serve", "--hostname", "127.0.0.1", "--port", port], {
    env: { ...env, OPENCODE_SERVER_PASSWORD: password, OPENCODE_CONFIG_CONTENT: config(env.OPENCODE_CONFIG_CONTENT) },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: Ctrl-C is ours to handle, and whatever wraps the real program ends together with it.
    detached: process.platform !== "win32",
  });
  const output = new Output(child);
  await spawned(child, program);
  const dismiss = guardProcess(child.pid as number);
  const exit = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      dismiss();
      resolve(`\`opencode serve\` has ended with ${signal ?? code}.${output.lastWords()}`);
    });
  });
  const server: Omit<Server, "url"> = { headers: authorization(password), ended: exit, stop: () => stop(child, exit) };
  try {
    return { ...server, url: await listening(output, exit) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A call that is denied without a word would end the turn; and of several at once, the others are denied without a word. */
function config(given: string | undefined): string {
  const base = given === undefined ? {} : parsed(given);
  if (base === undefined) return given as string; // OpenCode says what is wrong with it
  return JSON.stringify({ ...base, experimental: { ...object(base.experimental), continue_loop_on_deny: true } });
}

function parsed(json: string): Loose | undefined {
  try {
    return object(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function authorization(password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` };
}

async function spawned(child: ChildProcess, program: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const isMissing = cause.code === "ENOENT" || cause.code === "EACCES";
      reject(
        failed(
          isMissing ? "host-missing" : "host-failed",
          `The program "${program}" cannot be started: ${cause.message}`,
          {
            ...(isMissing && {
              hint: "Install OpenCode with `npm install -g opencode-ai`, or say where its program is.",
            }),
            cause,
          },
        ),
      );
    });
  });
}

async function listening(output: Output, exit: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const what = () => `\`opencode serve\` was not ready after ${startDeadline / 1000} s.${output.lastWords()}`;
    timer = setTimeout(() => reject(failed("host-failed", what())), startDeadline);
  });
  const ended = exit.then((reason) => Promise.reject(failed("host-failed", reason)));
  try {
    return await Promise.race([output.url, late, ended]);
  } finally {
    clearTimeout(timer);
  }
}

async function stop(child: ChildProcess, exit: Promise<string>): Promise<void> {
  signal(child, "SIGTERM");
  const timer = setTimeout(() => signal(child, "SIGKILL"), stopDeadline);
  await exit;
  clearTimeout(timer);
  signal(child, "SIGKILL"); // what it has left behind in its group
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (process.platform === "win32") return void child.kill(name);
  try {
    process.kill(-(child.pid as number), name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // all of it has ended already
  }
}

/** What the program says: where it listens, and its last words. */
class Output {
  readonly url: Promise<string>;
  #text = "";

  constructor(child: ChildProcess) {
    this.url = new Promise((resolve) => {
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        this.#take(text);
        const [, url] = /listening on (http:\S+)/.exec(this.#text) ?? [];
        if (url !== undefined) resolve(url);
      });
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#take(text));
  }

  lastWords(): string {
    const words = this.#text.trim();
    return words === "" ? "" : ` It said:\n${words}`;
  }

  #take(text: string): void {
    this.#text = (this.#text + text).slice(-4_000);
  }
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
