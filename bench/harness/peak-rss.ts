import { readFileSync } from "node:fs";

/** The most memory this process ever had resident. */
export function ownPeakRss(): number {
  // Linux's getrusage starts at the peak of the process that spawned us; VmHWM starts fresh at exec.
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const kib = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  if (kib === undefined) throw new Error("/proc/self/status has no VmHWM line: is /proc mounted?");
  return Number(kib) * 1024;
}
