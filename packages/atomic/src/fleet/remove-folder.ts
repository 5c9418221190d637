import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes a folder, also one with folders inside that were made read-only, such as Go's module cache. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && ["EACCES", "EPERM"].includes(String(error.code)))) throw error;
    allowChanges(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function allowChanges(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) allowChanges(join(path, name));
}
