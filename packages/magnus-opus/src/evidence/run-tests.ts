// The plugin runs the tests itself: what a model says about them is not evidence.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import type { TestEvidence } from "../run/evidence.ts";
import { type TestCounts, testCounts } from "./test-counts.ts";
import { treeHash } from "./tree-hash.ts";

export interface TestRun {
  readonly argv: readonly string[];
  /** The package.json scripts that it runs. */
  readonly script: string | undefined;
  /** `null` if it did not exit by itself. */
  readonly exitCode: number | null;
  readonly ended: "exit" | "signal" | "timeout" | "aborted" | "not-started";
  /** `undefined` if no known summary was printed. */
  readonly counts: TestCounts | undefined;
  /** A hash of all output. */
  readonly outputHash: string;
  /** The last lines, for people. */
  readonly tail: string;
  /** A hash of the tested files; `undefined` if they changed while the tests ran. */
  readonly tree: string | undefined;
  readonly ms: number;
}

export interface TestRunOptions {
  readonly project: string;
  /** The folder whose files the tests cover, if it is larger than the project. */
  readonly tree?: string;
  readonly argv: readonly [string, ...string[]];
  readonly script?: string | undefined;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** A summary may be far above the end of the output, before many failures. */
const longestKept = 1_000_000;
const longestTail = 4_000;

export async function runTests(options: TestRunOptions): Promise<TestRun> {
  const before = await treeHash(options.tree ?? options.project);
  const started = performance.now();
  const { exitCode, ended, output, hash } = await execute(options);
  const ms = Math.round(performance.now() - started);
  const after = await treeHash(options.tree ?? options.project);
  return {
    argv: options.argv,
    script: options.script,
    exitCode,
    ended,
    counts: testCounts(output),
    outputHash: `sha256:${hash}`,
    tail: output.slice(-longestTail),
    tree: before === after ? after : undefined,
    ms,
  };
}

/** Runs without a shell. The whole process group ends with it. */
async function execute({
  project,
  argv,
  timeoutMs,
  env,
  signal,
}: TestRunOptions): Promise<Pick<TestRun, "exitCode" | "ended"> & { readonly output: string; readonly hash: string }> {
  const [program, ...words] = argv;
  const child = spawn(program, words, {
    cwd: project,
    // Otherwise test runners may watch for changes or ask questions.
    env: { ...env, CI: "1", PWD: project } as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const hash = createHash("sha256");
  let output = "";
  const take = (chunk: Buffer): void => {
    hash.update(chunk);
    output = (output + chunk.toString("utf8")).slice(-longestKept);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);

  let why: TestRun["ended"] | undefined;
  const end = (reason: TestRun["ended"]) => (): void => {
    why ??= reason;
    killGroup(child);
  };
  const timer = setTimeout(end("timeout"), timeoutMs);
  const abort = end("aborted");
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  try {
    const { exitCode, failure } = await new Promise<{ exitCode: number | null; failure?: Error }>((resolve) => {
      child.once("error", (error) => resolve({ exitCode: null, failure: error }));
      child.once("close", (code) => resolve({ exitCode: code }));
    });
    if (failure !== undefined) output += `${failure.message}\n`;
    const natural = failure === undefined ? (exitCode === null ? "signal" : "exit") : "not-started";
    return { exitCode: why === undefined ? exitCode : null, ended: why ?? natural, output, hash: hash.digest("hex") };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    killGroup(child);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // The group has already ended.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** What a test run proves; or why it proves nothing and is not recorded. */
export type Proof = { readonly evidence: TestEvidence } | { readonly nothing: string };

/** The exit code that shells report after a signal. */
const signalled = 137;

export function evidenceOf({ argv, script, tree, ended, exitCode, counts, ms, outputHash, tail }: TestRun): Proof {
  if (ended === "aborted") return { nothing: "the tests were stopped" };
  if (tree === undefined) return { nothing: "the project's files changed while the tests ran" };
  let exit: TestEvidence["exit"] = { kind: "code", code: exitCode ?? signalled };
  if (ended === "timeout") exit = { kind: "timeout" };
  if (ended === "not-started") {
    exit = { kind: "not-started", detail: tail.trim() || "the command could not be started" };
  }
  return {
    evidence: {
      argv: [...argv],
      ...(script !== undefined && { script }),
      tree,
      exit,
      ...(counts !== undefined && { counts }),
      ms,
      outputHash,
    },
  };
}
