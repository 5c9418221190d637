import { spawn } from "node:child_process";
import { Socket } from "node:net";

// `bun test` sends SIGTERM to the children it knows when a test times out, but that is when the guard is needed most.
const guard = 'trap "" TERM; read -r end; rm -rf -- "$0"';

/**
 * Removes `folder` when this process is gone: ended, killed, crashed, or given up by the test runner. A shell waits at the
 * other end of a pipe, which closes however we end. The result ends the guard, to be called when the folder is gone.
 */
export function removeWhenOrphaned(folder: string): () => void {
  const shell = spawn("/bin/sh", ["-c", guard, folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  // A project that nobody disposes must not keep its process alive.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref(); // so it is on Node; Bun's pipe holds nobody up
  return () => void shell.stdin.end();
}
