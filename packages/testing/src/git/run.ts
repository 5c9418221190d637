import { spawn } from "node:child_process";

export interface GitOptions {
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  input?: Uint8Array;
}

/** Runs a git command that must succeed and gives its output without the last line break. */
export async function runGit(
  args: readonly string[],
  { cwd, env, input = new Uint8Array() }: GitOptions,
): Promise<string> {
  const child = spawn("git", args, { cwd, env: { ...env }, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  // A git that ends without reading its input breaks the pipe; its exit code tells the story.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`git ${args.join(" ")} (in ${cwd}) ended with ${code}:\n${output.stderr}`);
  return output.stdout.replace(/\n$/, "");
}
