import { existsSync, readFileSync } from "node:fs";

/** Resolves once the process has ended; a zombie counts as ended. */
export async function ended(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise(setImmediate);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
  const stat = `/proc/${pid}/stat`;
  return !(existsSync(stat) && readFileSync(stat, "utf8").includes(") Z "));
}
