import { type ChildProcess, spawn } from "node:child_process";
import { type Mark, newMark, OrphanGuard } from "./marked-processes.ts";

export interface OwnedProcessOptions {
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed. */
  readonly stdin?: string;
  /** Ends the process even when we are killed, or when exit hooks do not run (as in `bun test`). Needs stdin for itself. */
  readonly leash?: boolean;
  /** Runs as this user, for a program that refuses to run as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface Exit {
  /** `null` when a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

// The shell holds the other end of our stdin pipe: when we are gone, `cat` ends and the whole group is killed.
const leash =
  'exec 3<&0; "$@" </dev/null 3<&- & child=$!; { cat <&3; kill -s KILL -- -$$; } >/dev/null 2>&1 & wait "$child"';

/** A process that we started, together with everything it starts. Its output is kept. */
export class OwnedProcess {
  readonly argv: readonly string[];
  readonly pid: number;
  stdout = "";
  stderr = "";
  /** Settles when the process has ended and all its output is here. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #mark: Mark;
  readonly #ended: Promise<Exit>;
  #settle: (exit: Exit) => void = () => undefined;

  private constructor(argv: readonly string[], child: ChildProcess, mark: Mark) {
    this.argv = argv;
    this.pid = child.pid as number;
    this.#child = child;
    this.#mark = mark;
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
      });
    }
    child.once("exit", () => child.stdin?.end());
    this.#ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.exited = new Promise((resolve) => {
      this.#settle = resolve;
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
  }

  static async start(argv: readonly string[], options: OwnedProcessOptions): Promise<OwnedProcess> {
    const [file = "", ...args] = options.leash ? ["/bin/sh", "-c", leash, "sh", ...argv] : argv;
    const mark = newMark();
    const env = { ...options.env, ...mark.env };
    // A group of its own, so everything it starts can be ended together with it.
    const child = spawn(file, args, { cwd: options.cwd, env, stdio: "pipe", detached: true, ...options.user });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (cause) => reject(new Error(`Cannot start ${argv.join(" ")} in ${options.cwd}`, { cause })));
    });
    // A process that ends without reading its input breaks the pipe; its exit says what happened.
    child.stdin?.on("error", () => undefined);
    if (!options.leash) child.stdin?.end(options.stdin ?? "");
    return new OwnedProcess(argv, child, mark);
  }

  /** Signals the whole group. */
  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it had ended already
    }
  }

  /** Ends the process and everything it started, even in separate sessions (on Linux). */
  async stop(): Promise<void> {
    this.kill();
    await new OrphanGuard({ mark: this.#mark.text }).end();
    const exit = await this.#ended;
    // A process that moved away without its environment still holds the output open: its later output is not awaited.
    await lastOutput(() => this.stdout.length + this.stderr.length, this.exited);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#settle(exit);
  }

  /** Waits for the end; past the deadline everything is killed and the error shows the output so far. */
  async end(deadline: number): Promise<Exit> {
    return await this.#before(deadline, "did not end", this.exited);
  }

  /** The first match of `pattern` in stdout, now or later. */
  async printed(pattern: RegExp, deadline: number): Promise<RegExpExecArray> {
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(this.stdout);
        if (match) resolve(match);
      };
      look();
      this.#child.stdout?.on("data", look);
      void this.exited.then(({ code }) => reject(this.#failure(`ended with ${code} before it printed ${pattern}`)));
    });
    return await this.#before(deadline, `did not print ${pattern}`, found);
  }

  async #before<T>(deadline: number, complaint: string, event: Promise<T>): Promise<T> {
    const late = Symbol("late");
    let timer: NodeJS.Timeout | undefined;
    const alarm = new Promise<typeof late>((resolve) => {
      timer = setTimeout(resolve, deadline, late);
    });
    const first = await Promise.race([event, alarm]).finally(() => clearTimeout(timer));
    if (first !== late) return first as T;
    await this.stop();
    throw this.#failure(`${complaint} within ${deadline} ms and was killed`);
  }

  #failure(what: string): Error {
    return new Error(`${this.argv.join(" ")} ${what}.\nstdout: ${this.stdout}\nstderr: ${this.stderr}`);
  }
}

/**
 * Resolves when `closed` does, or when no more output arrives: a process that outlives the one we started may keep its
 * output open forever, but what had been written by then can be read.
 */
export async function lastOutput(received: () => number, closed: Promise<unknown>): Promise<void> {
  const isOpen = Symbol();
  for (let seen = -1; seen !== received(); ) {
    seen = received();
    const nextTurn = new Promise((resolve) => setImmediate(resolve, isOpen));
    if ((await Promise.race([closed, nextTurn])) !== isOpen) return;
  }
}
