// Who holds a lock, and whether that process is certainly dead. In doubt, it counts as alive.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { attempt, errnoOf } from "../files/errno.ts";

export type LockOwner = {
  pid: number;
  /** When the process started, as the operating system reports it: distinguishes a reused pid from the real owner. */
  started: string | null;
  host: string;
  /** Changes with every restart of the machine. */
  boot: string | null;
  /** Containers on one machine have separate pid numbers; a pid means nothing in another space. */
  pidSpace: string | null;
  purpose: string;
  since: string;
};

export function isProvablyDead(owner: LockOwner): boolean {
  return isDead(owner, thisProcess(""), (text) => text);
}

/** This process, short enough for the name of a file or folder that it owns. */
export function ownerName(): string {
  const { host, boot, pidSpace, pid, started } = thisProcess("");
  return [shortened(host), shortened(boot), shortened(pidSpace), pid, shortened(started)].join("-");
}

/** Whether the name, as `ownerName` writes it, is that of a process that is certainly dead. */
export function isNameOfDead(name: string): boolean {
  const [, host, boot, pidSpace, pid, started] =
    /^([0-9a-f]{8})-([0-9a-f]{8}|none)-([0-9a-f]{8}|none)-([1-9]\d{0,9})-([0-9a-f]{8}|none)$/.exec(name) ?? [];
  if (host === undefined || boot === undefined || pidSpace === undefined || started === undefined) return false;
  const known = (part: string): string | null => (part === "none" ? null : part);
  const owner = { host, boot: known(boot), pidSpace: known(pidSpace), pid: Number(pid), started: known(started) };
  const me = thisProcess("");
  const short = (text: string | null): string | null => known(shortened(text));
  return isDead(owner, { ...me, host: shortened(me.host), boot: short(me.boot), pidSpace: short(me.pidSpace) }, short);
}

function shortened(text: string | null): string {
  return text === null ? "none" : createHash("sha256").update(text).digest("hex").slice(0, 8);
}

type Process = Omit<LockOwner, "purpose" | "since">;

/** @param told How the owner's facts were written down. */
function isDead(owner: Process, me: Process, told: (text: string | null) => string | null): boolean {
  if (owner.boot !== me.boot) {
    return owner.host === me.host && owner.boot !== null && me.boot !== null; // restarted since
  }
  // The same boot id means the same machine, whatever its name; without one, compare the names.
  if (owner.boot === null && owner.host !== me.host) return false;
  if (owner.pidSpace !== me.pidSpace) return false;
  if (!pidExists(owner.pid)) return true;
  const now = processStart(owner.pid);
  return now === "zombie" || (now !== null && owner.started !== null && told(now) !== owner.started);
}

export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH"; // EPERM: another user's process, alive
  }
}

/** /proc may be missing or hide other users' processes; a process may end while it is read. */
const hidden = ["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"];

let known: Omit<LockOwner, "purpose" | "since"> | undefined;

/** This process as the owner of a lock. */
export function thisProcess(purpose: string): LockOwner {
  if (known === undefined) {
    const { pid, platform } = process;
    let boot: string | null = null;
    let pidSpace: string | null = null;
    if (platform === "linux") {
      boot = attempt(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), ...hidden)?.value.trim() ?? null;
      pidSpace = attempt(() => fs.readlinkSync("/proc/self/ns/pid"), ...hidden)?.value ?? null;
    }
    if (platform === "darwin") boot = output("sysctl", ["-n", "kern.bootsessionuuid"]);
    known = { pid, started: processStart(pid), host: hostname(), boot, pidSpace };
  }
  return { ...known, purpose, since: new Date().toISOString() };
}

function processStart(pid: number): string | "zombie" | null {
  if (process.platform === "darwin") return output("ps", ["-o", "lstart=", "-p", String(pid)]);
  if (process.platform !== "linux") return null;
  // In a sandbox, /proc may show another pid space than ours: then its numbers mean other processes.
  if (statOf("self")?.pid !== process.pid) return null;
  const found = statOf(String(pid));
  if (found === undefined) return null;
  return found.state === "Z" || found.state === "X" ? "zombie" : found.started;
}

function statOf(name: string): { pid: number; state: string; started: string } | undefined {
  const text = attempt(() => fs.readFileSync(`/proc/${name}/stat`, "utf8"), ...hidden)?.value;
  if (text === undefined) return undefined;
  // Field 2 is the program's name in parentheses and may hold spaces and parentheses itself: count from the last one.
  const rest = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [rest[0], rest[19]];
  return state === undefined || started === undefined ? undefined : { pid: Number.parseInt(text, 10), state, started };
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
