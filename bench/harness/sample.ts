import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What one contestant used in one round. */
export interface Sample {
  readonly wallMs: number;
  /** User + system time. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The kernel counts the launcher's own memory as the child's, so a smaller child is known only to be at most this. */
  readonly rssAtMost: boolean;
  readonly calls: number;
}

/** What a measuring child writes instead of a sample if it knows in one sentence why there is none. */
export interface Failure {
  readonly failure: string;
}

/** The instructions for a measuring child. */
export interface Assignment {
  readonly file: string;
  readonly group: number;
  readonly contestant: number;
  readonly dir: string;
  readonly out: string;
  /** How long the measured loop of a micro contestant takes, roughly. */
  readonly microMs: number;
}

export interface SampleOptions {
  readonly microMs: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export class ContestantFailure extends Error {
  override readonly name = "ContestantFailure";
}

/** Measures one contestant in a process of its own, and leaves no process and no file behind. */
export async function takeSample(
  who: Pick<Assignment, "file" | "group" | "contestant">,
  options: SampleOptions,
): Promise<Sample> {
  const scratch = await mkdtemp(join(await realpath(tmpdir()), "atomic-bench-"));
  try {
    const dir = join(scratch, "round");
    await mkdir(dir);
    return await measureInChild({ ...who, dir, out: join(scratch, "sample.json"), microMs: options.microMs }, options);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Each makes a runtime do more, or less, at every start: `node -e 0` with further certificates takes three times as long. */
const ofRuntimes = ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "NODE_COMPILE_CACHE", "NODE_V8_COVERAGE", "BUN_OPTIONS"];

/** Our environment, without variables that say more about this machine than about a contestant. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of ofRuntimes) delete env[name];
  return env;
}

async function measureInChild(assignment: Assignment, options: SampleOptions): Promise<Sample> {
  options.signal?.throwIfAborted();
  // A file, not a pipe: a background process that a contestant forgot would keep a pipe open for ever.
  const errors = `${assignment.out}.stderr`;
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, "child.ts"), JSON.stringify(assignment)], {
    cwd: assignment.dir,
    env: plainEnvironment(),
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(errors),
    detached: true, // its own process group, so it can be ended together with everything it started
  });
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const stop = AbortSignal.any(options.signal ? [timeout, options.signal] : [timeout]);
  const end = () => endGroup(child.pid);
  stop.addEventListener("abort", end);
  try {
    await child.exited;
  } finally {
    stop.removeEventListener("abort", end);
    end();
  }
  options.signal?.throwIfAborted();
  if (child.exitCode !== 0) {
    const why = timeout.aborted
      ? `no end after ${options.timeoutMs / 1000} s`
      : `exit code ${child.exitCode ?? child.signalCode}`;
    throw new ContestantFailure(`${why}\n${await readFile(errors, "utf8")}`.trimEnd());
  }
  if (!existsSync(assignment.out)) throw new ContestantFailure("no result: it ended its process by itself");
  const result = JSON.parse(await readFile(assignment.out, "utf8")) as Sample | Failure;
  if ("failure" in result) throw new ContestantFailure(result.failure);
  return result;
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // ESRCH: all of them have already ended
  }
}
