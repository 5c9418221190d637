// A project's location with links resolved, because paths are compared as text.
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { RunPlace } from "./journal.ts";
import { sealPath } from "./seal.ts";

/** In the project; one folder for each run. */
export const sessionsFolder = "ai-docs/sessions";
/** In a run's folder. */
export const journalName = "journal.jsonl";

export interface Workplace {
  /** The repository, or the folder itself if it is not in one. A run never touches anything outside it. */
  readonly worktree: string;
  /** Where OpenCode was started; sessions and tests belong to it. */
  readonly directory: string;
}

export function workplaceOf({ directory, worktree }: { directory: string; worktree: string }): Workplace {
  const here = realpathSync(directory);
  // Without git, OpenCode reports the root of the file system as the worktree.
  const isRepository = worktree !== "" && dirname(worktree) !== worktree;
  const root = isRepository ? realpathSync(worktree) : here;
  const isInside = here === root || !/^\.\.(\/|\\|$)/.test(relative(root, here));
  return { worktree: isInside ? root : here, directory: here };
}

/** A run's session folder, relative to the worktree and with `/`. */
export function folderOf({ worktree, directory }: Workplace, run: string): string {
  return relative(worktree, join(directory, sessionsFolder, run)).replaceAll("\\", "/");
}

export function runPlace({ directory }: Workplace, run: string): RunPlace {
  const journal = join(directory, sessionsFolder, run, journalName);
  return { journal, seal: sealPath(journal) };
}

/** Follows links in the part of the path that exists. */
export function realPath(path: string, from: string): string {
  const whole = isAbsolute(path) ? path : resolve(from, path);
  try {
    return realpathSync(whole);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    const parent = dirname(whole);
    // A link to a file that does not exist yet: writing to it creates that file.
    if (code === "ENOENT" && lstatSync(whole, { throwIfNoEntry: false })?.isSymbolicLink())
      return realPath(readlinkSync(whole), realPath(parent, from));
    return parent === whole ? whole : join(realPath(parent, from), basename(whole));
  }
}
