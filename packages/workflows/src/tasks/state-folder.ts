import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where the lock of a project's tasks files is, unless somebody says so. */
export function defaultStateFolder(folder: string): string {
  return resolve(folder, ".atomic/tasks");
}

/** A change that goes with the first one of a tasks file: agents that commit all there is must not commit locks. */
export function keptOutOfGit(stateFolder: string): { path: string; content: string; expect: "absent" }[] {
  const path = join(stateFolder, ".gitignore");
  return existsSync(path) ? [] : [{ path, content: "*\n", expect: "absent" }];
}
