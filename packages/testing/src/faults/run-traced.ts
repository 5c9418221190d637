import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type MarkedProcesses, markedProcesses } from "../marked-processes.ts";
import { type TemporaryFolder, temporaryFolder } from "../temporary-folder.ts";

export interface TracedCommand {
  readonly command: readonly string[];
  /** Absolute. Operations on these folders and on everything below them count. */
  readonly under: string | readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Count only these system calls. */
  readonly only?: readonly string[];
  /** Count the start of every child program too, wherever it is. */
  readonly exec?: boolean;
  /** Milliseconds until everything is killed and the run counts as hanging. Default 30 seconds. */
  readonly deadline?: number;
}

export interface TracedOutcome {
  /** 128 + signal number if the command was killed. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Every operation that was counted, the last one being where a `kill` struck. */
  readonly operations: readonly FileOperation[];
  /** Whether the fault was met. */
  readonly injected: boolean;
  /** The deadline passed, and the command was killed. */
  readonly hung: boolean;
}

/** Nothing is known about the run: it could not be started or traced. */
export class KillpointFailed extends Error {
  override readonly name = "KillpointFailed";
}

/** Runs the command with a fault at its Nth operation, or with none. Resolves when all its processes are gone. */
export async function runTraced(traced: TracedCommand, fault?: { kind: Fault; at: number }): Promise<TracedOutcome> {
  const program = await buildKillpoint();
  surroundings ??= Promise.all([temporaryFolder("killpoint-"), markedProcesses()]).then(([folder, processes]) => ({
    folder,
    processes,
  }));
  const { folder, processes } = await surroundings;
  const log = join(folder.path, `${randomUUID()}.jsonl`);
  const { deadline = 30_000 } = traced;
  try {
    const { under, only, exec } = traced;
    const options = [
      ...(typeof under === "string" ? [under] : under).flatMap((each) => ["--under", each]),
      ...["--fault", fault?.kind ?? "list", "--at", String(fault?.at ?? 0)],
      ...(only === undefined ? [] : ["--only", only.join(",")]),
      ...(exec === true ? ["--exec"] : []),
      ...["--log", log],
    ];
    const child = Bun.spawn([program, ...options, "--", ...traced.command], {
      cwd: traced.cwd ?? process.cwd(),
      env: { ...process.env, ...traced.env, ...processes.env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    let hung = false;
    // The kernel kills the traced processes together with killpoint.
    const timer = setTimeout(() => {
      hung = true;
      child.kill("SIGKILL");
    }, deadline);
    const [exitCode, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    clearTimeout(timer);
    const operations: FileOperation[] = [];
    let end: End | undefined;
    // A killed killpoint may leave a last line without its end.
    for (const line of (await readFile(log, "utf8")).split("\n").slice(0, -1)) {
      const record = JSON.parse(line) as ({ op: number } & Omit<FileOperation, "number">) | (End & { op?: undefined });
      if (record.op === undefined) end = record;
      else {
        const { op, ...rest } = record;
        operations.push({ number: op, ...rest });
      }
    }
    if (end === undefined && !hung) throw new KillpointFailed(stderr.trim() || `killpoint exited with ${exitCode}`);
    return { exitCode, stdout, stderr, operations, injected: end?.injected ?? false, hung };
  } finally {
    await rm(log, { force: true });
  }
}

interface Surroundings {
  readonly folder: TemporaryFolder;
  readonly processes: MarkedProcesses;
}

// Shared by all runs of this process and cleaned up by its guards: a new pair for each of a thousand runs would be slow.
let surroundings: Promise<Surroundings> | undefined;

/** The command's operations below the folder when nothing goes wrong. */
export async function listOperations(traced: TracedCommand): Promise<readonly FileOperation[]> {
  const outcome = await runTraced(traced);
  if (outcome.hung) throw new Error(`\`${traced.command.join(" ")}\` did not end in time; stderr: ${outcome.stderr}`);
  return outcome.operations;
}

interface End {
  readonly injected: boolean;
}

/** One change that a traced command made, or was about to make, below the watched folder. */
export interface FileOperation {
  /** Counted over all threads and child processes, from 1. */
  readonly number: number;
  readonly pid: number;
  readonly tid: number;
  /** The system call: `openat`, `write`, `rename`, … */
  readonly call: string;
  readonly path: string;
  /** The other path of a rename or a link. */
  readonly from?: string;
  /** How many bytes a writing call was asked to write. */
  readonly bytes?: number;
}

/** What can meet an operation. Named as `killpoint.c` names them. */
export type Fault = "kill" | "kill-after" | "enospc" | "enospc-persistent" | "eio" | "erofs" | "eacces" | "short";

/** The seven that every command has to survive; `eacces` is asked for by name. */
export const defaultFaults: readonly Fault[] = [
  "kill",
  "kill-after",
  "enospc",
  "enospc-persistent",
  "eio",
  "erofs",
  "short",
];

export function formatOperation({ number, call, path, from, bytes }: FileOperation): string {
  const size = bytes === undefined ? "" : ` (${bytes} bytes)`;
  return `#${number} ${call} ${from === undefined ? "" : `${from} -> `}${path}${size}`;
}

// killpoint is built where it is used: the checkout has the source, and the system compiler builds it once.
const sourceFolder = join(import.meta.dirname, "../../native");
const buildFolder = join(import.meta.dirname, "../../../../.build");
const compile = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra"];

export class CannotBuildKillpoint extends Error {
  override readonly name = "CannotBuildKillpoint";
}

/** The path of the program for exactly these sources; built by the first process that asks. */
export async function buildKillpoint(folder: string = buildFolder): Promise<string> {
  const files = (await readdir(sourceFolder)).sort().map((name) => join(sourceFolder, name));
  const hash = createHash("sha256").update(compile.join(" "));
  for (const file of files) hash.update(basename(file)).update(await readFile(file));
  const program = join(folder, `killpoint-${process.arch}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(program)) return program;
  if (Bun.which("cc") === null) throw new CannotBuildKillpoint("there is no C compiler: `cc` is not on PATH");

  await mkdir(folder, { recursive: true });
  const unfinished = `${program}.${randomUUID()}`;
  try {
    const command = [...compile, "-o", unfinished, ...files.filter((file) => file.endsWith(".c"))];
    const compiler = Bun.spawn(command, { stdout: "ignore", stderr: "pipe" });
    const [exitCode, stderr] = await Promise.all([compiler.exited, compiler.stderr.text()]);
    if (exitCode !== 0) throw new CannotBuildKillpoint(`\`${command.join(" ")}\` exited with ${exitCode}:\n${stderr}`);
    await rename(unfinished, program);
  } finally {
    await rm(unfinished, { force: true });
  }
  return program;
}

export type Availability = { readonly available: true } | { readonly available: false; readonly reason: string };

let known: Promise<Availability> | undefined;

/** Whether faults can be injected on this machine: Linux, a C compiler, and a kernel that allows ptrace and seccomp. */
export function faultsAvailable(): Promise<Availability> {
  known ??= probe();
  return known;
}

async function probe(): Promise<Availability> {
  if (process.platform !== "linux") return no(`faults are injected with Linux's ptrace, this is ${process.platform}`);
  if (process.arch !== "x64" && process.arch !== "arm64") return no(`killpoint does not know ${process.arch}`);
  await using folder = await temporaryFolder();
  try {
    await buildKillpoint();
    const { operations } = await runTraced({ command: ["mkdir", join(folder.path, "made")], under: folder.path });
    return operations.length === 1 ? { available: true } : no(`one mkdir counts as ${operations.length} operations`);
  } catch (error) {
    if (error instanceof CannotBuildKillpoint || error instanceof KillpointFailed) return no(error.message);
    throw error;
  }
}

function no(reason: string): Availability {
  return { available: false, reason };
}
