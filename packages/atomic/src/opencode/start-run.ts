// Starts `atomic` beside OpenCode. Runs belong to a process of their own, so they survive OpenCode's end.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { sentences } from "../report/sentences.ts";

/** The same depth below the package for the sources and for the bundle. */
const program = fileURLToPath(new URL("../../bin/atomic.js", import.meta.url));

interface Runtime {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Node or Bun, if there is one; otherwise the Bun inside OpenCode. */
function runtime(): Runtime {
  const ending = process.platform === "win32" ? ".exe" : "";
  for (const name of ["node", "bun"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const command = join(folder, name + ending);
      if (folder !== "" && existsSync(command)) return { command, env: {} };
    }
  }
  return { command: process.execPath, env: { BUN_BE_BUN: "1" } };
}

/** The address of OpenCode's server, if it has a port; then the sessions of a run can be opened here. */
function serverUrl({ client }: TerminalApi): string | undefined {
  const { client: http } = client as unknown as { client?: { getConfig?: () => { baseUrl?: unknown } } };
  const url = http?.getConfig?.().baseUrl;
  return typeof url === "string" && !url.includes("opencode.internal") ? url : undefined;
}

function environment(api: TerminalApi, env: Runtime["env"]): NodeJS.ProcessEnv {
  const url = serverUrl(api);
  return { ...process.env, ...env, NO_COLOR: "1", ...(url !== undefined && { ATOMIC_OPENCODE_URL: url }) };
}

/** What `atomic run --detach --json` printed: a run, or why there is none. */
export function startedRun(answer: string): { readonly runId?: string; readonly problem: string } {
  const [line = ""] = answer.trim().split("\n").slice(-1);
  // With `--help`, for example, it prints something else.
  if (!line.startsWith("{") || !line.endsWith("}") || line.length < 3)
    return { problem: "This does not start a run. Type /run <workflow> [arguments]" };
  const { runId, error } = JSON.parse(line) as {
    readonly runId?: string;
    readonly error?: { readonly message: string; readonly hint?: string };
  };
  if (runId !== undefined) return { runId, problem: "" };
  const { message = "The run was not started", hint } = error ?? {};
  return { problem: sentences(message, hint) };
}

/** Creates the run. Resolves with its id; rejects with what `atomic` says if it cannot be started. */
export async function startRun(api: TerminalApi, project: string, words: readonly string[]): Promise<string> {
  const { command, env } = runtime();
  const args = [program, "run", "--detach", "--json", ...words];
  const answer = await new Promise<string>((resolve, reject) => {
    execFile(command, args, { cwd: project, env: environment(api, env) }, (error, stdout, stderr) => {
      if (stdout !== "") resolve(stdout);
      else reject(error ?? new Error(stderr.trim()));
    });
  });
  const { runId, problem } = startedRun(answer);
  if (runId === undefined) throw new Error(problem);
  return runId;
}

/** Works on a run until it ends or asks: in a process of its own, which is still there when OpenCode is not. */
export function continueRun(
  api: TerminalApi,
  project: string,
  runId: string,
  refused: (problem: string) => void,
): void {
  const { command, env } = runtime();
  const child = spawn(command, [program, "resume", runId, "--no-wait", "--json"], {
    ...{ cwd: project, env: environment(api, env), detached: true, stdio: ["ignore", "pipe", "ignore"] },
  });
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    const { runId: started, error } = objectIn(line) ?? {};
    // What a workflow's own code prints is not ours.
    if (started === undefined && error === undefined) return;
    if (started === undefined) refused(`${runId} does not continue. ${startedRun(line).problem}`);
    // From now on its journal is read.
    lines.close();
    child.stdout.resume();
  });
  child.on("error", (error) => refused(error.message));
  child.unref();
}
