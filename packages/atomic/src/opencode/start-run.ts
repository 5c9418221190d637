// Starts `atomic` beside OpenCode. Runs belong to a process of their own, so they survive OpenCode's end.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { printingFlags } from "../printing-flags.ts";
import { sentences } from "../report/sentences.ts";
import { shellWord } from "../view/questions.ts";

/** The same depth below the package for the sources and for the bundle. */
const program = fileURLToPath(new URL("../../bin/atomic.js", import.meta.url));

interface Runtime {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As in bin/atomic.js. */
const leastNode = [20, 19] as const;

/** What each Node says that it is. */
const versions = new Map<string, Promise<string>>();

/** The first Node or Bun in PATH, if there is one; otherwise the Bun inside OpenCode. */
export async function findRuntime(
  project: string,
  path: string = process.env.PATH ?? "",
): Promise<Runtime | { readonly problem: string }> {
  const ending = process.platform === "win32" ? ".exe" : "";
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const found = ["node", "bun"].flatMap((name) => folders.map((folder) => join(folder, name + ending)));
  const command = found.find((file) => existsSync(file));
  if (command === undefined) return { command: process.execPath, env: { BUN_BE_BUN: "1" } };
  const version = basename(command, ending) === "node" ? await versionOf(command, project) : "";
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  const [leastMajor, leastMinor] = leastNode;
  if (major === undefined || minor === undefined || major > leastMajor) return { command, env: {} };
  if (major === leastMajor && minor >= leastMinor) return { command, env: {} };
  const needed = `Runs need Node ${leastNode.join(".")} or newer, but ${command} is Node ${version.slice(1)}.`;
  return { problem: `${needed} Put a newer Node first in PATH and restart OpenCode` };
}

/** Empty if it does not say: then it fails when it is used. */
function versionOf(node: string, project: string): Promise<string> {
  let version = versions.get(node);
  if (version === undefined) {
    version = new Promise((resolve) =>
      execFile(node, ["--version"], { cwd: project }, (_error, stdout) => resolve(stdout.trim())),
    );
    versions.set(node, version);
  }
  return version;
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
export function startedRun(
  answer: string,
  words: readonly string[] = [],
): { readonly runId?: string; readonly problem: string } {
  const [line = ""] = answer.trim().split("\n").slice(-1);
  // With `--help`, for example, it prints something else.
  if (!line.startsWith("{") || !line.endsWith("}") || line.length < 3) return { problem: notARun(words) };
  const { runId, error, dryRun } = JSON.parse(line) as {
    readonly runId?: string;
    readonly error?: { readonly message: string; readonly hint?: string };
    readonly dryRun?: true;
  };
  if (runId !== undefined) return { runId, problem: "" };
  if (dryRun) return { problem: notARun(words) };
  const { message = "The run was not started", hint } = error ?? {};
  return { problem: sentences(message, hint) };
}

function notARun(words: readonly string[]): string {
  const flag = words.find((word) => printingFlags.includes(word));
  if (flag === undefined) return "This does not start a run. Type /run <workflow> [arguments]";
  const [first = flag] = words;
  const workflow = first.startsWith("-") ? "<workflow>" : shellWord(first);
  const command = first === flag ? ["atomic run", flag] : ["atomic run", workflow, flag];
  return `${flag} does not start a run. In a shell, type \`${command.join(" ")}\``;
}

/** Creates the run. Resolves with its id; rejects with what `atomic` says if it cannot be started. */
export async function startRun(api: TerminalApi, project: string, words: readonly string[]): Promise<string> {
  const runtime = await findRuntime(project);
  if ("problem" in runtime) throw new Error(runtime.problem);
  const { command, env } = runtime;
  const args = [program, "run", "--detach", "--json", ...words];
  const answer = await new Promise<string>((resolve, reject) => {
    execFile(command, args, { cwd: project, env: environment(api, env) }, (error, stdout, stderr) => {
      if (stdout !== "") resolve(stdout);
      else reject(error ?? new Error(stderr.trim()));
    });
  });
  const { runId, problem } = startedRun(answer, words);
  if (runId === undefined) throw new Error(problem);
  return runId;
}

/** Works on a run until it ends or asks: in a process of its own, which is still there when OpenCode is not. */
export async function continueRun(
  api: TerminalApi,
  project: string,
  runId: string,
  refused: (problem: string) => void,
): Promise<void> {
  const runtime = await findRuntime(project);
  if ("problem" in runtime) return refused(`${runId} does not continue. ${runtime.problem}`);
  const { command, env } = runtime;
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
