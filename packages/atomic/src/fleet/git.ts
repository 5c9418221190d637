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

async function runGit(folder: string, args: readonly string[], more: Record<string, string>): Promise<GitResult> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", ...more };
  const child = spawn("git", [...options, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, ...output };
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
