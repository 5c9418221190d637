// Programs that agents started and that outlive the call that started them. They could type a person's commands over OpenCode's
// port. An inherited variable shows which run they belong to; a program that clears its environment is not found. Linux only.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Set in the environment of everything that a run's agents start. */
export const agentVariable = "MAGNUS_OPUS_AGENT";

interface Program {
  readonly pid: number;
  /** Makes the pid unique, since pids are reused. */
  readonly start: string;
  readonly command: string;
  readonly openCode: string;
  readonly run: string;
  readonly call: string;
}

export class AgentPrograms {
  readonly #self = `${process.pid}:${statOf(process.pid)?.start ?? "?"}`;
  #left: readonly Program[] = [];

  env(run: string, call: string): Readonly<Record<string, string>> {
    return { [agentVariable]: `${this.#self} ${run} ${call}` };
  }

  /** Remembers what a call that just ended left running. */
  remember(isOpen: (call: string) => boolean): void {
    if (listens()) this.#left = this.#running().filter(({ call }) => !isOpen(call));
  }

  /** Why one of them may have typed a command. A program that has just ended may have done it, too. */
  doubt(runs: readonly string[]): string | undefined {
    const started = process.env[agentVariable];
    if (started !== undefined)
      return `typed in an OpenCode instance started by an agent of run ${started.split(" ")[1]}`;
    if (!listens()) return undefined;
    const before = this.#left;
    this.#left = this.#running(runs);
    const program = this.#left[0] ?? before[0];
    if (program === undefined) return undefined;
    const { pid, command } = program;
    const when =
      this.#left.length > 0
        ? "while a program started by an agent was running"
        : "right after a program started by an agent ended";
    return `typed ${when}: process ${pid} (${command}); \`kill ${pid}\` ends it`;
  }

  /** `runs`: also programs of these runs that an earlier OpenCode left running. */
  #running(runs: readonly string[] = []): readonly Program[] {
    return (unlessGone(() => readdirSync("/proc")) ?? [])
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .flatMap((name): Program[] => {
        const pid = Number(name);
        const variables = read(`/proc/${pid}/environ`)?.split("\0");
        const mark = variables?.find((each) => each.startsWith(`${agentVariable}=`));
        const start = mark && statOf(pid)?.start;
        if (mark === undefined || start === undefined) return [];
        const [openCode = "", run = "", call = ""] = mark.slice(agentVariable.length + 1).split(" ");
        return [{ pid, start, command: commandOf(pid), openCode, run, call }];
      })
      .filter(({ openCode, run }) => openCode === this.#self || runs.includes(run));
  }
}

/** A process and the ones that started it, as far as they are still running. */
export function processWords(pid: number = process.pid): string {
  const chain: string[] = [];
  for (let at = pid; at > 1 && chain.length < longestChain; at = Number(statOf(at)?.parent ?? 0)) {
    chain.push(`${at} (${commandOf(at)})`);
  }
  const [first = String(pid), ...above] = chain;
  return above.length === 0 ? `process ${first}` : `process ${first}, started by ${above.join(", by ")}`;
}

const longestChain = 4;
const longestCommand = 60;

/** Whether OpenCode has a port open; without one, only a person can type. */
function listens(): boolean {
  const own = new Set(
    (unlessGone(() => readdirSync("/proc/self/fd")) ?? []).map((fd) => {
      const target = unlessGone(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? "";
      return /^socket:\[(\d+)\]$/.exec(target)?.[1];
    }),
  );
  const sockets = ["tcp", "tcp6"].flatMap((kind) => (read(`/proc/self/net/${kind}`) ?? "").split("\n"));
  return sockets.some((line) => {
    const [, , , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === listening && own.has(inode);
  });
}

const listening = "0A";

/** The fields after the name, which may contain spaces and brackets. */
function statOf(pid: number): { readonly parent: string; readonly start: string } | undefined {
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
  return fields === undefined ? undefined : { parent: fields[1] ?? "0", start: fields[19] ?? "?" };
}

function commandOf(pid: number): string {
  const command = (read(`/proc/${pid}/cmdline`) ?? "").split("\0").join(" ").replaceAll(/\s+/g, " ").trim();
  return command.length > longestCommand ? `${command.slice(0, longestCommand)}…` : command || "unknown";
}

/** Undefined if the process has ended or belongs to another user. */
function read(path: string): string | undefined {
  return unlessGone(() => readFileSync(path, "utf8"));
}

function unlessGone<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
