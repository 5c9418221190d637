/** What several contestants use is made once a run, in a folder that is gone when the run is over. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Child processes inherit it, and the process that sets it removes the folder. */
const variable = "HUGO_BENCH_FOLDER";

/** Call it when a bench is loaded. True in the process that runs the benches, false in child processes. */
export function shareFolder(): boolean {
  if (process.env[variable] !== undefined) return false;
  const folder = mkdtempSync(join(tmpdir(), "atomic-bench-hugo-"));
  process.env[variable] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return true;
}

/** Where it is or will be. */
export function shared(name: string): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error("shareFolder() comes first.");
  return join(folder, name);
}

/** Creates it unless it exists: completely, or not at all. */
export function makeOnce(name: string, make: (unfinished: string) => void): string {
  const path = shared(name);
  if (existsSync(path)) return path;
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  make(unfinished);
  renameSync(unfinished, path);
  return path;
}
