// CPU time and memory of processes that come and go, from Linux's /proc.
import { readdirSync, readFileSync } from "node:fs";

export interface TreeUsage {
  /** Of the process, what it has started, and what of that has ended and was waited for. */
  readonly cpuMs: number;
  /** Pages that several processes share are divided among them. */
  readonly memoryMb: number;
  readonly processes: number;
}

interface Process {
  readonly parent: number;
  readonly ticks: number;
}

/** Every process of Linux counts in hundredths of a second. */
const tickMs = 10;

export function treeUsage(root: number): TreeUsage {
  if (process.platform !== "linux") throw new Error("The CPU time of other processes is only known on Linux.");
  const all = new Map<number, Process>();
  for (const name of readdirSync("/proc")) {
    const process = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (process !== undefined) all.set(Number(name), process);
  }
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const [pid, { parent }] of all) if (tree.has(parent)) tree.add(pid);
  }
  const pids = [...tree].filter((pid) => all.has(pid));
  return {
    cpuMs: pids.reduce((sum, pid) => sum + (all.get(pid)?.ticks ?? 0), 0) * tickMs,
    memoryMb: pids.reduce((sum, pid) => sum + memoryOf(pid), 0) / 1000,
    processes: pids.length,
  };
}

/** All that a process has in memory, in MB. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readProc(pid, "status") ?? "")?.[1] ?? Number.NaN) / 1000;
}

export function parentOf(pid: number): number | undefined {
  return statOf(pid)?.parent;
}

function statOf(pid: number): Process | undefined {
  const text = readProc(pid, "stat");
  if (text === undefined) return undefined;
  // The name is in parentheses and may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return { parent: Number(fields[1]), ticks };
}

/** Kilobytes. */
function memoryOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readProc(pid, "smaps_rollup") ?? "")?.[1] ?? 0);
}

function readProc(pid: number, file: "smaps_rollup" | "stat" | "status"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined; // it has just ended
    throw error;
  }
}
