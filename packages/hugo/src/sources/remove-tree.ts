import * as fs from "node:fs";
import { join } from "node:path";

/** Removes one of Hugo's own folders with its content, if it exists. Links are removed, not followed. */
export function removeTree(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    // A package may contain folders that not even their owner may change.
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
