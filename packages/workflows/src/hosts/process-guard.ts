import { spawn } from "node:child_process";
import { Socket } from "node:net";

// Its input closes however we end. The process gets two seconds to tidy up; what it has started need not be in its group,
// as tools of agents are in sessions of their own, so they are looked up before their parent is gone.
const script = `
trap "" TERM INT HUP
read -r end
children=$(ps -A -o pid= -o ppid= | awk -v root="$1" '
  { parent[$1] = $2 }
  END {
    for (pid in parent) {
      for (at = pid; at in parent && at + 0 > 1 && at != root; ) at = parent[at]
      if (at == root && pid != root) print pid
    }
  }')
kill -s TERM -- "-$1" || exit 0
kill -s KILL $children
sleep 2
kill -s KILL -- "-$1"
`;

/** Ends a process group, and what it has started, when this process is gone, even by `kill -9`. Returns what sends it away. */
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
