// An OpenCode that was started with `--auto` says yes to every prompt before anybody has read it.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";

/** Only one that is written out as `=false` is none. */
const flag = /^--(?:auto|yolo|dangerously-?skip-?permissions)(?:=(?!false$).*)?$/i;

export function saysYesToAll(words: readonly string[]): boolean {
  return words.some((word) => flag.test(word));
}

/** The words that this OpenCode was started with; undefined: nobody knows. */
export async function commandLine(): Promise<readonly string[] | undefined> {
  if (isMainThread) return process.argv;
  // Behind its screen OpenCode runs plugins in a thread, which is not told them.
  if (existsSync("/proc/self/cmdline")) return readFileSync("/proc/self/cmdline", "utf8").split("\0");
  try {
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "args=", "-p", String(process.pid)]);
    return stdout.trim().split(/\s+/);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // not Unix
    throw error;
  }
}
