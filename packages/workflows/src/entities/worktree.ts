import { existsSync } from "node:fs";
import { dirname, join, parse } from "node:path";

/** The folder itself, its parent, and so on up to the root of the disk. */
export function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** The root of the git worktree that contains the folder. */
export function worktreeOf(folder: string): string | undefined {
  return ancestors(folder).find((each) => existsSync(join(each, ".git")));
}

/** The folder to which paths in OpenCode's rules are relative; outside of git, the root of the disk. */
export function opencodeRoot(folder: string): string {
  return worktreeOf(folder) ?? parse(folder).root;
}

/** The folders where OpenCode looks for configs: from its start folder up to the root of the worktree or of the disk. */
export function configFolders(folder: string): string[] {
  const [all, worktree] = [ancestors(folder), worktreeOf(folder)];
  return worktree === undefined ? all : all.slice(0, all.indexOf(worktree) + 1);
}
