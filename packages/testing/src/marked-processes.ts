// Agents start shell tools in separate sessions and leave them behind when they are killed, so neither the process
// group nor the process tree finds them. But they keep the environment they were started with.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";

/** An environment variable that shows who started a process. Its name is unique, so one process can have several marks. */
export interface Mark {
  readonly env: Readonly<Record<string, string>>;
  /** `NAME=value`, as it is in an environment. */
  readonly text: string;
}

export function newMark(): Mark {
  const name = `ATOMIC_TESTING_MARK_${randomUUID().replaceAll("-", "")}`;
  return { env: { [name]: "1" }, text: `${name}=1` };
}

export interface MarkedProcesses extends AsyncDisposable {
  /** Pass it to programs you start: everything that inherits it ends with this process, no matter how. */
  readonly env: Readonly<Record<string, string>>;
}

/** Needs Linux; elsewhere it ends nothing, and the hosts have to stop by themselves. */
export async function markedProcesses(): Promise<MarkedProcesses> {
  const mark = newMark();
  const guard = new OrphanGuard({ mark: mark.text });
  return { env: mark.env, [Symbol.asyncDispose]: () => guard.end() };
}

/** What to do when this process is gone: ended, killed, crashed, or abandoned by the test runner. */
export interface GuardDuties {
  /** End every process that has this `NAME=value` in its environment (on Linux; elsewhere none is found). */
  readonly mark?: string;
  /** Then remove this folder. */
  readonly folder?: string;
}

// `bun test` sends SIGTERM to the children it knows when a test times out, but that is when the guard is needed most.
// A process may fork while it is looked for, hence the passes; and a write of the test's own process may put a file into a folder
// that is being removed, hence the second attempt.
const script = `
trap "" TERM INT HUP
read -r end
pass=0
while [ -n "$1" ]; do
  found=$(grep -lszxF -e "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n')
  [ -z "$found" ] && break
  [ $pass -eq 100 ] && exit 3
  kill -s KILL $found 2>/dev/null
  pass=$((pass + 1))
done
[ -z "$2" ] || rm -rf -- "$2" 2>/dev/null || rm -rf -- "$2"
`;

/** A shell at the other end of a pipe, which closes no matter how this process ends. */
export class OrphanGuard {
  readonly #duties: GuardDuties;
  readonly #shell: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(duties: GuardDuties) {
    this.#duties = duties;
    const shell = spawn("/bin/sh", ["-c", script, "guard", duties.mark ?? "", duties.folder ?? ""], {
      stdio: ["pipe", "ignore", "ignore"],
      // Not ours: with the mark of a process that started us, the guard would be ended together with us.
      env: { PATH: process.env.PATH ?? "" },
      // A Ctrl-C ends our whole process group.
      detached: true,
    });
    this.#shell = shell;
    this.#ended = new Promise((resolve, reject) => {
      shell.once("exit", resolve);
      shell.once("error", reject);
    });
    // A guard that is never disposed must not keep its process alive.
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref(); // needed on Node; Bun's pipe does not keep the process alive
  }

  /** Runs the guard's duties now. */
  async end(): Promise<void> {
    this.#shell.ref();
    this.#shell.stdin?.end();
    const code = await this.#ended;
    const { mark, folder } = this.#duties;
    if (code === 3) throw new Error(`Processes with ${mark} in their environment could not be ended`);
    if (code !== 0) throw new Error(`${folder} could not be removed: its guard ended with ${code}`);
  }

  /** Ends the guard without running its duties. */
  dismiss(): void {
    this.#shell.kill("SIGKILL");
  }
}
