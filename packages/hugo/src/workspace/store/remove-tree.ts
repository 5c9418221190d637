import * as fs from "node:fs";
import { join } from "node:path";

/** Removes a folder of Hugo's own with all that is in it, if it is there. Links are removed, not followed. */
export function removeTree(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    // A package may bring folders that not even their owner may change.
    makeWritable(folder);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function makeWritable(folder: string): void {
  fs.chmodSync(folder, 0o700);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
  }
}

/** Removes a folder if it is there and empty. */
export function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errnoOf(error) ?? "")) throw error;
  }
}

/** The names in a folder; none if it is not there. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** The errno name (`ENOENT`) of a failed call of the file system. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
