import { callerOf } from "@atomic/terminal/agent-at-keyboard";
import { forgetTypedKeys } from "@atomic/terminal/typed-ahead";
import { UsageError } from "@atomic/terminal/usage-error";
import type { Clock, Console, Interrupt, Keyboard, Signals } from "./cli/console.ts";
import { outputTo } from "./cli/process-output.ts";

export type ContextProcess = Pick<
  NodeJS.Process,
  "env" | "cwd" | "stdout" | "stderr" | "stdin" | "on" | "off" | "kill" | "pid"
>;

/** The process as the program sees it. Standard input is opened when somebody reads from it, as opening takes time. */
export function consoleOf(process: ContextProcess): Console {
  const { env } = process;
  return {
    // Looked up when somebody asks, because the folder may be gone, and help needs none.
    get cwd() {
      return currentFolder(process);
    },
    home: homeFolder(env),
    env,
    stdin: keyboardOf(process),
    stdout: outputTo({ fd: 1, env, stream: () => process.stdout }),
    stderr: outputTo({ fd: 2, env, stream: () => process.stderr }),
    clock,
    signals: signalsOf(process),
    caller: callerOf("hugo"),
  };
}

/** As the runtime says it; where that is a variable, without the time that the runtime takes to look for more. */
function homeFolder({ HOME }: Console["env"]): string {
  return HOME && process.platform !== "win32" ? HOME : process.getBuiltinModule("node:os").homedir();
}

function currentFolder({ cwd }: ContextProcess): string {
  try {
    return cwd();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new UsageError("the current folder does not exist any more", { hint: "Change to one that does." });
  }
}

function keyboardOf(process: ContextProcess): Keyboard {
  return {
    get isTTY() {
      return process.stdin.isTTY === true;
    },
    forgetTyped: () => {
      if (forgetTypedKeys(process.stdin)) process.kill(process.pid, "SIGINT");
    },
    readLine: (signal) => readLine(process.stdin, signal),
  };
}

/** The terminal itself takes care of editing the line, and of Ctrl-C. */
async function readLine(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string | undefined> {
  const done = new AbortController();
  const line = new Promise<string | undefined>((resolve) => {
    let typed = "";
    const onData = (part: Buffer): void => {
      typed += part;
      const end = typed.indexOf("\n");
      if (end !== -1) resolve(typed.slice(0, end));
    };
    const nothing = (): void => resolve(undefined);
    // A terminal that is gone is an error here; there is nobody left to answer.
    stdin.on("data", onData).on("end", nothing).on("error", nothing);
    done.signal.addEventListener("abort", () => stdin.off("data", onData).off("end", nothing).off("error", nothing));
    signal.addEventListener("abort", nothing, { signal: done.signal });
    if (signal.aborted) nothing();
  });
  try {
    stdin.resume();
    return await line;
  } finally {
    done.abort();
    stdin.pause();
  }
}

const clock: Clock = {
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

const interrupts: readonly Interrupt[] = ["SIGINT", "SIGTERM", "SIGHUP"];

function signalsOf(process: ContextProcess): Signals {
  return {
    listen: (hear) => {
      for (const interrupt of interrupts) process.on(interrupt, hear);
      return () => {
        for (const interrupt of interrupts) process.off(interrupt, hear);
      };
    },
  };
}
