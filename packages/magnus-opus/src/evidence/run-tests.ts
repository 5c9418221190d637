// The plugin runs the tests itself: what a model says about them is not evidence.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { signalGroup } from "@atomic/terminal/signal-group";
import type { SettledCommand, TestEvidence } from "../run/evidence.ts";
import { hasTests } from "../run/test-files.ts";
import { goText } from "./go-test-output.ts";
import { isDecidedByProject } from "./test-command.ts";
import { namesRunner, type TestCounts, testCounts } from "./test-counts.ts";
import { readTree, type Tree } from "./tree-hash.ts";

export interface TestRun extends Omit<SettledCommand, "argv"> {
  readonly argv: readonly string[];
  /** `null` if it did not exit by itself. */
  readonly exitCode: number | null;
  readonly ended: "exit" | "signal" | "timeout" | "aborted" | "not-started";
  /** `undefined` if no known summary was printed. */
  readonly counts: TestCounts | undefined;
  /** Whether only the project's own files say what prints the summary. */
  readonly isRunnerUnknown: boolean;
  /** A hash of all output. */
  readonly outputHash: string;
  /** The last lines, for people. */
  readonly tail: string;
  /** A hash of the tested files; `undefined` if they changed while the tests ran. */
  readonly tree: string | undefined;
  /** Those files, as `wrote coverage.xml`. */
  readonly changed: readonly string[];
  readonly testFiles: number;
  readonly ms: number;
}

export interface TestRunOptions extends Omit<SettledCommand, "argv"> {
  readonly project: string;
  /** The folder whose files the tests cover, if it is larger than the project. */
  readonly tree?: string;
  readonly argv: readonly [string, ...string[]];
  /** Globs of test files that the stack adds. */
  readonly testGlobs?: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** A summary may be far above the end of the output, before many failures. */
const longestKept = 1_000_000;
const longestTail = 4_000;

export async function runTests(options: TestRunOptions): Promise<TestRun> {
  const { argv, script, definition, setBy, testGlobs } = options;
  const before = await readTree(options.tree ?? options.project);
  const started = performance.now();
  const { exitCode, ended, output, hash } = await execute(options);
  const ms = Math.round(performance.now() - started);
  const after = await readTree(options.tree ?? options.project);
  return {
    ...{ argv, script, definition, setBy, exitCode, ended },
    counts: testCounts(output, [argv.join(" "), script].join("; ")),
    isRunnerUnknown: isDecidedByProject(options.project, { argv, script }),
    outputHash: `sha256:${hash}`,
    tail: goText(output).slice(-longestTail),
    tree: before.hash === after.hash ? after.hash : undefined,
    changed: changesBetween(before, after),
    testFiles: [...after.fingerprints.keys()].filter((path) => hasTests(path, testGlobs)).length,
    ms,
  };
}

function changesBetween({ fingerprints: before }: Tree, { fingerprints: after }: Tree): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    const [was = "absent", is = "absent"] = [before.get(path), after.get(path)];
    if (was === is) return [];
    return `${is === "absent" ? "removed" : was === "absent" ? "wrote" : "changed"} ${path}`;
  });
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
    signalGroup(child, "SIGKILL");
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
    signalGroup(child, "SIGKILL");
  }
}

/** What a test run proves; or why it proves nothing and is not recorded. */
export type Proof = { readonly evidence: TestEvidence } | { readonly nothing: string };

/** The exit code that shells report after a signal. */
const signalled = 137;

const mostNamed = 5;

export function evidenceOf(run: TestRun): Proof {
  const { argv, script, definition, setBy, tree, changed, testFiles, ended, exitCode, counts, ms, outputHash, tail } =
    run;
  if (ended === "aborted") return { nothing: "the tests were stopped. Run them again" };
  if (tree === undefined) {
    const named = changed.slice(0, mostNamed).join(", ");
    const more = changed.length > mostNamed ? `, and ${changed.length - mostNamed} more` : "";
    return {
      nothing: `while the tests ran, something ${named}${more}, so it is unclear which files were tested. If the tests did it, add the file to .gitignore or let them write it to a temporary folder; if another program did it, stop that program. Then run them again`,
    };
  }
  let exit: TestEvidence["exit"] = { kind: "code", code: exitCode ?? signalled };
  if (ended === "timeout") exit = { kind: "timeout" };
  if (ended === "not-started") {
    exit = { kind: "not-started", detail: tail.trim() || "the command could not be started" };
  }
  const isRunnerUnknown = run.isRunnerUnknown || undefined;
  const isSummaryExpected = namesRunner([argv.join(" "), script].join("; ")) || undefined;
  const known = { script, definition, setBy, counts, isRunnerUnknown, isSummaryExpected };
  return {
    evidence: {
      ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as typeof known),
      ...{ argv: [...argv], tree, exit, testFiles, ms, outputHash },
    },
  };
}
