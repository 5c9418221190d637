// Agents start shell tools in sessions of their own and leave them behind when they are killed, so neither the process
// group nor the process tree finds them. What they cannot shed is the environment they were started with.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

export interface MarkedProcesses extends AsyncDisposable {
  /** Give it to what you start: everything that inherits it ends with us, however we end. */
  readonly env: Readonly<Record<string, string>>;
}

const MARK = "ATOMIC_TESTING_MARK";

// Reads until we close the pipe or die. A process may fork while it is looked for, hence the passes.
const guard = `
cat >/dev/null
pass=0
while [ $pass -lt 100 ]; do
  found=$(grep -lszxF "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n')
  [ -z "$found" ] && exit 0
  kill -s KILL $found 2>/dev/null
  pass=$((pass + 1))
done
exit 1
`;

/** Needs Linux; elsewhere nothing is ended here, and the hosts' own way of stopping has to do. */
export async function markedProcesses(): Promise<MarkedProcesses> {
  const mark = randomUUID();
  const env = { [MARK]: mark };
  if (process.platform !== "linux") return { env, [Symbol.asyncDispose]: async () => undefined };

  // Detached: a Ctrl-C ends our process group, and then the guard is needed most.
  const guardian = spawn("/bin/sh", ["-c", guard, "guard", `${MARK}=${mark}`], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH ?? "" },
    detached: true,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    guardian.once("exit", resolve);
    guardian.once("error", reject);
  });
  return {
    env,
    async [Symbol.asyncDispose]() {
      guardian.stdin.end();
      const code = await ended;
      if (code !== 0) throw new Error(`Processes with ${MARK}=${mark} in their environment could not be ended`);
    },
  };
}
