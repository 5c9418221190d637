import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";

/** The repository's hooks are other people's code, and a prompt for a password would wait forever. */
const options = ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"];

export interface GitResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function tryGit(folder: string, ...args: readonly string[]): Promise<GitResult> {
  return await runGit(folder, args, {});
}

const stopping = new AsyncLocalStorage<AbortSignal>();

/** Every git that the work starts ends with the signal. */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return await stopping.run(signal, work);
}

/** A server that accepts a connection and then says nothing must not keep a worker's slot. */
const limitsMs = { answer: 120_000, transfer: 3600_000 };
const slowest = { GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "120" };

async function runGit(folder: string, args: readonly string[], more: Record<string, string>): Promise<GitResult> {
  const env = { ...slowest, ...process.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", ...more };
  const child = spawn("git", [...options, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  const end = (): void => {
    child.kill("SIGTERM");
    // A program that git has started, such as ssh, may keep them open.
    for (const name of ["stdout", "stderr"] as const) child[name].destroy();
  };
  const limitMs = args[0] === "ls-remote" ? limitsMs.answer : limitsMs.transfer;
  const timer = setTimeout(() => {
    output.stderr += `it did not end within ${limitMs / 1000} seconds`;
    end();
  }, limitMs);
  const signal = stopping.getStore();
  signal?.addEventListener("abort", end);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
      if (signal?.aborted === true) end();
    });
    return { code, ...output };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

/** The output without its last line break. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return await gitWith({}, folder, ...args);
}

export async function gitWith(
  env: Record<string, string>,
  folder: string,
  ...args: readonly string[]
): Promise<string> {
  const result = await runGit(folder, args, env);
  if (result.code === 0) return result.stdout.trimEnd();
  throw gitFailed(folder, args, result);
}

export function gitFailed(folder: string, args: readonly string[], { code, stderr }: GitResult): Refusal {
  return new Refusal("git-failed", {
    message: safe`git ${args.join(" ")} ended with ${String(code)}: ${stderr.trim()}`,
    at: folder,
    hint: "The workspace cannot be prepared here; check the repository's URL and this machine's access to it.",
    exitCode: 6,
  });
}
