// Who holds a lock, and whether that process is dead beyond doubt. In doubt it lives.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { errnoOf } from "../files/errno.ts";

export type Owner = {
  pid: number;
  /** When the process started, in the words of the operating system: tells a reused pid from the real owner. */
  started: string | null;
  host: string;
  /** Changes with every restart of the machine. */
  boot: string | null;
  /** Containers on one machine have separate pid numbers; a pid means nothing in another space. */
  pidSpace: string | null;
  purpose: string;
  since: string;
};

export function thisProcess(purpose: string): Owner {
  return { ...identity(), purpose, since: new Date().toISOString() };
}

export function parseOwner(text: string): Owner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return isOwner(value) ? value : undefined;
}

export function isProvablyDead(owner: Owner): boolean {
  const me = identity();
  if (owner.boot !== me.boot) {
    return owner.host === me.host && owner.boot !== null && me.boot !== null; // restarted since
  }
  // The same boot id is the same machine whatever it is called; without one, the name has to do.
  if (owner.boot === null && owner.host !== me.host) return false;
  if (owner.pidSpace !== me.pidSpace) return false;
  if (!pidExists(owner.pid)) return true;
  const now = processStart(owner.pid);
  return now === "zombie" || (now !== null && owner.started !== null && now !== owner.started);
}

export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH"; // EPERM: somebody else's process, alive
  }
}

type Identity = Omit<Owner, "purpose" | "since">;
let known: Identity | undefined;

function identity(): Identity {
  known ??= {
    pid: process.pid,
    started: processStart(process.pid),
    host: hostname(),
    boot: bootId(),
    pidSpace: pidSpace(),
  };
  return known;
}

function processStart(pid: number): string | "zombie" | null {
  if (process.platform === "linux") return linuxStart(pid);
  if (process.platform === "darwin") return output("ps", ["-o", "lstart=", "-p", String(pid)]);
  return null;
}

function linuxStart(pid: number): string | "zombie" | null {
  // In a sandbox, /proc may show another pid space than ours: then its numbers are about strangers.
  if (fieldsOf("self")?.pid !== process.pid) return null;
  const fields = fieldsOf(String(pid));
  if (fields === undefined) return null;
  return fields.state === "Z" || fields.state === "X" ? "zombie" : fields.started;
}

function fieldsOf(name: string): { pid: number; state: string; started: string } | undefined {
  const text = readProc(`/proc/${name}/stat`);
  if (text === undefined) return undefined;
  // Field 2 is the program's name in parentheses and may hold spaces and parentheses itself: count from the last one.
  const rest = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [rest[0], rest[19]];
  return state === undefined || started === undefined ? undefined : { pid: Number.parseInt(text, 10), state, started };
}

function bootId(): string | null {
  if (process.platform === "linux") return readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  if (process.platform === "darwin") return output("sysctl", ["-n", "kern.bootsessionuuid"]);
  return null;
}

function pidSpace(): string | null {
  return process.platform === "linux" ? (unlessHidden(() => fs.readlinkSync("/proc/self/ns/pid")) ?? null) : null;
}

function readProc(path: string): string | undefined {
  return unlessHidden(() => fs.readFileSync(path, "utf8"));
}

/** /proc may be missing or hide other users' processes; a process may end while it is read. */
function unlessHidden(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

function output(command: string, args: string[]): string | null {
  try {
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return execFileSync(command, args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).trim() || null;
  } catch (error) {
    // No such process (exit code 1) or no such program: the answer is "unknown".
    if (error instanceof Error) return null;
    throw error;
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== "object" || value === null) return false;
  const owner = value as Record<string, unknown>;
  const texts = [owner.host, owner.purpose, owner.since];
  const optional = [owner.started, owner.boot, owner.pidSpace];
  return (
    Number.isSafeInteger(owner.pid) &&
    (owner.pid as number) > 0 &&
    (owner.pid as number) < 2 ** 31 &&
    texts.every((text) => typeof text === "string") &&
    optional.every((text) => text === null || typeof text === "string")
  );
}
