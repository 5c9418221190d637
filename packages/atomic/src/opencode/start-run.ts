// Starts `atomic` beside OpenCode. Runs belong to a process of their own, so they survive OpenCode's end.
import { execFile, spawn } from "node:child_process";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { findProgram } from "../find-program.ts";
import { begun } from "../other-programs.ts";
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
  const env = { PATH: path };
  const command = findProgram(`node${ending}`, { env }) ?? findProgram(`bun${ending}`, { env });
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
  const { runId, error } = objectIn(line) ?? {};
  if (typeof runId === "string") return { runId, problem: "" };
  // With `--help`, for example, it prints something else.
  if (!isObject(error)) return { problem: notARun(words) };
  const { message, hint } = error;
  return {
    problem: sentences(
      String(message ?? "The run was not started"),
      typeof hint === "string" ? inShell(hint) : undefined,
    ),
  };
}

function isObject(value: unknown): value is { readonly message?: unknown; readonly hint?: unknown } {
  return typeof value === "object" && value !== null;
}

/** Atomic's hints are for a shell. */
function inShell(hint: string): string {
  return hint.replace(/^Run (`[^`]+`) for usage\.$/, "In a shell, $1 shows its options.");
}

function notARun(words: readonly string[]): string {
  const flag = words.find((word) => printingFlags.includes(word));
  if (flag === undefined) return "This does not start a run. Type /run <workflow> [arguments]";
  const [first = flag] = words;
  const workflow = first.startsWith("-") ? "<workflow>" : shellWord(first);
  const command = first === flag ? ["atomic run", flag] : ["atomic run", workflow, flag];
  return `${flag} only prints something. Run it in a shell: \`${command.join(" ")}\``;
}

interface Ended {
  /** The last line that is a run, or a problem. Others are a workflow's own. */
  readonly answer: string | undefined;
  /** The end of what it printed for people, if it is read. */
  readonly stderr: string;
  readonly how: string;
  readonly isSuccess: boolean;
}

/** More than a message needs, of what may be endless. */
const mostStderr = 4000;

/**
 * `atomic …` in a process of its own, until it ends.
 *
 * @param answered Called with each line that is a run, or a problem.
 */
async function runAtomic(
  api: TerminalApi,
  project: string,
  { command, env }: Runtime,
  words: readonly string[],
  { detached, answered }: { readonly detached: boolean; readonly answered?: (line: string) => void },
): Promise<Ended> {
  const child = begun(() =>
    spawn(command, [program, ...words], {
      cwd: project,
      env: environment(api, env),
      detached,
      stdio: ["ignore", "pipe", detached ? "ignore" : "pipe"],
    }),
  );
  if (detached) child.unref();
  let answer: string | undefined;
  let stderr = "";
  const lines = createInterface({ input: child.stdout! }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const { runId, error, dryRun } = objectIn(line) ?? {};
    if (runId === undefined && error === undefined && dryRun === undefined) return;
    answer = line;
    answered?.(line);
    if (!detached) return;
    // From now on its journal is read: what it prints, a large result at last, is not kept.
    lines.close();
    child.stdout?.resume();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-mostStderr);
  });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const how = signal === null ? `atomic exited with code ${code}` : `atomic was killed (${signal})`;
      resolve({ answer, stderr: stderr.trim(), how, isSuccess: code === 0 });
    });
  });
}

/** Creates the run. Resolves with its id; rejects with what `atomic` says if it cannot be started. */
export async function startRun(api: TerminalApi, project: string, words: readonly string[]): Promise<string> {
  const runtime = await findRuntime(project);
  if ("problem" in runtime) throw new Error(runtime.problem);
  const args = ["run", "--detach", "--json", ...words];
  const { answer = "", stderr, how, isSuccess } = await runAtomic(api, project, runtime, args, { detached: false });
  if (answer === "" && !isSuccess) throw new Error(stderr === "" ? `${how} before the run started` : stderr);
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
  // Once it works on the run, the run's journal is read.
  let isAnswered = false;
  const answered = (line: string): void => {
    if (isAnswered) return;
    isAnswered = true;
    const { runId: started, problem } = startedRun(line);
    if (started === undefined) refused(`${runId} does not continue. ${problem}`);
  };
  const args = ["resume", runId, "--no-wait", "--json"];
  const { how } = await runAtomic(api, project, runtime, args, { detached: true, answered });
  if (!isAnswered) refused(`${runId} does not continue: ${how}`);
}
