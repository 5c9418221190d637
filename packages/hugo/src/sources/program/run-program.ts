import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { basename } from "node:path";
import { signalGroup } from "@atomic/terminal/signal-group";
import { HugoError } from "../../errors.ts";
import { deadlineIn } from "../limits.ts";

export interface ProgramToRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds after which it is stopped. */
  readonly timeout: number;
  /** The error in that case. */
  readonly whenSlow?: Pick<HugoError, "code" | "hint">;
  /** Ends the program when it is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
  /** Stops the program by rejecting; never settles otherwise. */
  readonly guard?: Promise<never> | undefined;
  readonly input?: string | undefined;
  /** Receives the output in chunks; without it, the output is kept. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Receives the output instead, for a program that exits before a pipe has taken everything it printed. */
  readonly stdoutFile?: string;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const LONGEST_OUTPUT = 8 * 1024 * 1024;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a program until it ends, and never beyond our own end. Everything it started ends with it. */
export async function runProgram(program: ProgramToRun): Promise<ProgramEnd> {
  program.signal?.throwIfAborted();
  const { file, args, cwd, env, stdoutFile } = program;
  const output = stdoutFile === undefined ? undefined : openSync(stdoutFile, "w");
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      cwd,
      env: { ...env },
      stdio: ["pipe", output ?? "pipe", "pipe"],
      // A separate process group, so it ends as one, and without our terminal, so nothing can ask for a password.
      detached: true,
    });
  } finally {
    if (output !== undefined) closeSync(output);
  }
  const group = new ProcessGroup(child);
  const deadline = deadlineIn(program.timeout, () => new TooSlow(program), program.signal);
  const { guard = deadline.reached } = program;
  try {
    return await Promise.race([endOf(child, program), deadline.reached, guard]);
  } finally {
    deadline.end();
    await group.end();
  }
}

async function endOf(child: ChildProcess, program: ProgramToRun): Promise<ProgramEnd> {
  return await new Promise((resolve, reject) => {
    const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let length = 0;
    const keep = (name: keyof typeof kept) => (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LONGEST_OUTPUT) kept[name].push(chunk);
    };
    const take = program.onOutput;
    child.stdout?.on("data", (chunk: Buffer) => {
      if (take === undefined) return keep("stdout")(chunk);
      try {
        take(chunk);
      } catch (error) {
        reject(error);
      }
    });
    child.stderr?.on("data", keep("stderr"));
    // A program that ends without reading its input breaks the pipe; its exit code says what happened.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(program.input ?? "");
    child.once("error", (cause) => {
      const message = `${program.file} cannot be started: ${cause.message}`;
      reject(
        new HugoError("program-failed", { message, hint: "Install it again, or remove it from the PATH.", cause }),
      );
    });
    child.once("close", (code) => {
      const [stdout, stderr] = [Buffer.concat(kept.stdout).toString(), Buffer.concat(kept.stderr).toString()];
      resolve({ code, stdout, stderr });
    });
  });
}

/** Waits for the end of its input, which is the end of Hugo, and then ends the group. */
const WATCH = 'read -r _; kill -s KILL -- "-$1"';

/** Ends a process group on request, and when Hugo ends for any reason, even if it is killed. */
class ProcessGroup {
  readonly #child: ChildProcess;
  readonly #watchdog: ChildProcess | undefined;
  readonly #exited: Promise<void>;
  readonly #onExit = (): void => this.#kill();
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#kill();
    // Other listeners decide what happens next; without any, we end as if we had not listened either.
    if (process.listenerCount(signal) > 1) return;
    this.#loosen();
    process.kill(process.pid, signal);
  };

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    process.on("exit", this.#onExit);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    if (child.pid === undefined || process.platform === "win32") return;
    this.#watchdog = spawn("/bin/sh", ["-c", WATCH, "sh", String(child.pid)], {
      stdio: ["pipe", "ignore", "ignore"],
      env: {},
      // Ctrl-C is for Hugo.
      detached: true,
    });
    // On a system without a shell, only a killed Hugo leaves programs behind.
    this.#watchdog.once("error", () => undefined);
  }

  async end(): Promise<void> {
    this.#kill();
    await this.#exited;
    this.#watchdog?.kill("SIGKILL");
    this.#watchdog?.stdin?.destroy();
    this.#loosen();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #loosen(): void {
    process.off("exit", this.#onExit);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #kill(): void {
    signalGroup(this.#child, "SIGKILL");
  }
}

/** The program did not finish in time and was stopped. */
export class TooSlow extends HugoError {
  constructor({ file, timeout, whenSlow = HARMLESS }: ProgramToRun) {
    const message = `${basename(file)} did not finish within ${timeout / 1000} seconds and was stopped`;
    super(whenSlow.code, { message, hint: whenSlow.hint });
  }
}

const HARMLESS = { code: "program-failed", hint: "Try again when this machine is less busy." } as const;
