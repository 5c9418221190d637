import type { ChildProcess } from "node:child_process";

/** Reaches a detached child and everything that it has started, also when the child itself has already ended. */
export function signalGroup({ pid }: Pick<ChildProcess, "pid">, signal: NodeJS.Signals): void {
  // It did not start.
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // All of it has ended already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
