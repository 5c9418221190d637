// An OpenCode started with `--auto` says yes to every prompt before anyone has read it.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";

/** Only an explicit `=false` turns it off. */
const flag = /^--(?:auto|yolo|dangerously-?skip-?permissions)(?:=(?!false$).*)?$/i;

export function saysYesToAll(words: readonly string[]): boolean {
  return words.some((word) => flag.test(word));
}

/** The arguments that this OpenCode was started with; undefined if unknown. */
export async function commandLine(): Promise<readonly string[] | undefined> {
  if (isMainThread) return process.argv;
  // With a screen, OpenCode runs plugins in a worker thread, which does not get them.
  if (existsSync("/proc/self/cmdline")) return readFileSync("/proc/self/cmdline", "utf8").split("\0");
  try {
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "args=", "-p", String(process.pid)]);
    return stdout.trim().split(/\s+/);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // not Unix
    throw error;
  }
}
