// The process that works on one run.
import { type ChildProcess, spawn } from "node:child_process";
import { signalCodes } from "@atomic/terminal/exit-codes";

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last thing it said that explains it. */
  readonly last: string;
}

/** It was killed, or the workflow's code ended it. A child that was asked to end has not crashed. */
export function isCrash({ code, signal }: ChildEnd): boolean {
  if (signal !== null) return !(signal in signalCodes);
  return code === 7 || code === 70 || (code ?? 0) > 143;
}

/** It could not begin, or could not continue here, though nothing is wrong with the run. */
export function isUnready({ code }: ChildEnd): boolean {
  return code === 1 || code === 2 || code === 3 || code === 6;
}

/** @param fleet The id of the database with the runs. */
export function startChild(runId: string, cwd: string, url: string, fleet: string): ChildProcess {
  const argv = [process.argv[1] ?? "", "resume", runId, "--no-wait", "--json", "--engine", url];
  const env = { ...process.env, ATOMIC_WORKER: fleet };
  return spawn(process.execPath, argv, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
}

/** What it started may outlive it, and keep its output open. */
export function isAlive(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

export async function endOf(child: ChildProcess): Promise<ChildEnd> {
  let last = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      last = (last + text).slice(-4000);
    });
  }
  const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return { ...end, last: messageIn(last) };
}

/** The error in the last document, or the last line. */
function messageIn(output: string): string {
  const line = output.trimEnd().split("\n").at(-1) ?? "";
  try {
    const { error } = JSON.parse(line) as { error?: { message?: string } };
    return error?.message ?? "";
  } catch (error) {
    if (error instanceof SyntaxError) return line;
    throw error;
  }
}
