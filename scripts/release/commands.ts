import { spawn } from "node:child_process";

interface NpmOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs npm and returns what it printed to stdout; rejects with its errors if it fails. */
export async function npm(args: readonly string[], { cwd, env = process.env }: NpmOptions): Promise<string> {
  return await command("npm", args, { cwd, env });
}

export async function git(args: readonly string[], { cwd, env = process.env }: NpmOptions): Promise<string> {
  return await command("git", args, { cwd, env });
}

export async function command(
  program: string,
  args: readonly string[],
  { cwd, env = process.env }: NpmOptions,
): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.on("error", reject).on("close", (code) => {
    if (code === 0) resolve(stdout);
    else reject(new Error(`${program} ${args.join(" ")} ended with ${code}:\n${stderr.trim()}`));
  });
  return await promise;
}
