import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import type { Context } from "../../context.ts";

/** `beside` are folders that are as untrusted as the project around `cwd`. */
type World = Pick<Context, "cwd" | "home" | "env"> & { readonly beside?: readonly string[] };

/** A program on the user's machine: never one inside the project, where its author could have put it. */
export function findProgram(name: string, world: World): string | undefined {
  for (const folder of trustedFolders(world)) {
    const file = join(folder, name);
    try {
      if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
      accessSync(file, constants.X_OK);
    } catch (error) {
      // Shells skip a PATH folder that they cannot read, whatever the reason.
      if ((error as NodeJS.ErrnoException).code !== undefined) continue;
      throw error;
    }
    if (!isOfProject(realpathSync(file), world)) return file;
  }
  return undefined;
}

/** The PATH for programs that start others: only folders outside the project. */
export function trustedPath(world: World): string {
  return trustedFolders(world).join(delimiter);
}

function trustedFolders(world: World): string[] {
  // A relative entry means another folder wherever a program runs.
  const folders = (world.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.filter((folder) => !isOfProject(resolve(folder), world) && !isOfProject(realPlace(folder), world));
}

/** Whether a path is in the worktree of `cwd` or `beside`. A home folder, which contains programs, is never a project. */
function isOfProject(path: string, { cwd, beside = [], home }: World): boolean {
  return [cwd, ...beside].some((each) => {
    const worktree = worktreeOf(resolve(each)) ?? resolve(each);
    const holdsHome = `${resolve(home)}${sep}`.startsWith(worktree.endsWith(sep) ? worktree : worktree + sep);
    const folder = holdsHome ? join(worktree, "node_modules") : worktree;
    return [folder, realPlace(folder)].some((place) => path === place || path.startsWith(place + sep));
  });
}

function realPlace(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
