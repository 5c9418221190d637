import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type MarkedProcesses, markedProcesses } from "../marked-processes.ts";
import { type TemporaryFolder, temporaryFolder } from "../temporary-folder.ts";
import { buildKillpoint } from "./build-killpoint.ts";
import type { Fault, FileOperation } from "./operation.ts";

export interface TracedCommand {
  readonly command: readonly string[];
  /** Absolute. Operations on these folders and on everything below them count. */
  readonly under: string | readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Count only these system calls. */
  readonly only?: readonly string[];
  /** Count the start of every child program too, wherever it lies. */
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

/** Runs the command with a fault at its Nth operation, or with none. Ends when every process of it is gone. */
export async function runTraced(traced: TracedCommand, fault?: { kind: Fault; at: number }): Promise<TracedOutcome> {
  const program = await buildKillpoint();
  surroundings ??= prepareSurroundings();
  const { folder, processes } = await surroundings;
  const log = join(folder.path, `${randomUUID()}.jsonl`);
  const { deadline = 30_000 } = traced;
  try {
    const child = Bun.spawn([program, ...options(traced, fault), "--log", log, "--", ...traced.command], {
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
    const { operations, end } = parseLog(await readFile(log, "utf8"));
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

// One for all runs of this process, and left to its guards: a pair of them for each of a thousand runs would cost time.
let surroundings: Promise<Surroundings> | undefined;

async function prepareSurroundings(): Promise<Surroundings> {
  return { folder: await temporaryFolder("killpoint-"), processes: await markedProcesses() };
}

/** What the command does below the folder when nothing goes wrong. */
export async function listOperations(traced: TracedCommand): Promise<readonly FileOperation[]> {
  const outcome = await runTraced(traced);
  if (outcome.hung) throw new Error(`\`${traced.command.join(" ")}\` did not end in time; stderr: ${outcome.stderr}`);
  return outcome.operations;
}

function options({ under, only, exec }: TracedCommand, fault?: { kind: Fault; at: number }): string[] {
  const folders = typeof under === "string" ? [under] : under;
  return [
    ...folders.flatMap((folder) => ["--under", folder]),
    ...["--fault", fault?.kind ?? "list", "--at", String(fault?.at ?? 0)],
    ...(only === undefined ? [] : ["--only", only.join(",")]),
    ...(exec === true ? ["--exec"] : []),
  ];
}

interface End {
  readonly injected: boolean;
}

function parseLog(text: string): { operations: FileOperation[]; end: End | undefined } {
  const operations: FileOperation[] = [];
  let end: End | undefined;
  // A killed killpoint may leave a last line without its end.
  for (const line of text.split("\n").slice(0, -1)) {
    const record = JSON.parse(line) as ({ op: number } & Omit<FileOperation, "number">) | (End & { op?: undefined });
    if (record.op === undefined) end = record;
    else operations.push(operationOf(record));
  }
  return { operations, end };
}

function operationOf({ op, ...rest }: { op: number } & Omit<FileOperation, "number">): FileOperation {
  return { number: op, ...rest };
}
