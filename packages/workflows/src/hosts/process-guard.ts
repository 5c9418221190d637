import { spawn } from "node:child_process";
import { Socket } from "node:net";

// Its input closes however we end. What it ends gets two seconds to tidy up.
const script = `
trap "" TERM INT HUP
read -r end
kill -s TERM -- "-$1" 2>/dev/null || exit 0
sleep 2
kill -s KILL -- "-$1" 2>/dev/null
`;

/** Ends the process group when this process is gone, even by `kill -9`. Returns what sends the guard away. */
export function guardProcess(group: number): () => void {
  const end = () => process.kill(group, "SIGTERM");
  if (process.platform === "win32") {
    process.once("exit", end);
    return () => process.off("exit", end);
  }
  const shell = spawn("/bin/sh", ["-c", script, "guard", String(group)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH ?? "" },
    // A Ctrl-C ends our whole process group.
    detached: true,
  });
  // A guard that does not keep its process from ending.
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  // Without a shell there is no guard; the rest works as well.
  shell.on("error", () => undefined);
  return () => shell.kill("SIGKILL");
}
