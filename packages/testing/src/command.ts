import { spawn } from "node:child_process";

export interface CommandOptions {
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Written to stdin, which is closed afterwards. */
  input?: string | Uint8Array;
}

export interface CommandResult {
  /** The exit code, or -1 if a signal ended the command. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. A failing one is a result, not an exception. */
export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const [file = "", ...args] = argv;
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  // A command that ends without reading its input breaks the pipe; its exit code tells the story.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, ...output }));
  });
}

/** Runs a command that must succeed and gives its stdout without the last line break. */
export async function outputOf(argv: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(argv, options);
  if (code !== 0) throw new Error(`${argv.join(" ")} (in ${options.cwd}) ended with ${code}:\n${stderr}${stdout}`);
  return stdout.replace(/\n$/, "");
}
