import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode } from "../system-error.ts";

/** Something to notice changes of. */
export interface Target {
  readonly base: string;
  /** A folder with entity files, or a config file; below `base`, with `/`. */
  readonly path: string;
  /** Folders below it count, too. */
  readonly deep: boolean;
}

/** Folders to watch; with names, only what happens to these in the folder matters. */
export type Folders = Map<string, Set<string> | "everything">;

export const MOST_FOLDERS = 4_096;
const DEEPEST = 20;
const MOST_HOPS = 10;

/** Material of others, often huge. A skill in there is loaded, but its changes go unnoticed. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * Every existing folder in which something can happen that changes what the targets hold: they themselves, folders in
 * them, folders above them (a target may not exist yet, or be moved away), and where links lead to.
 */
export function foldersToWatch(targets: readonly Target[]): Folders {
  const folders: Folders = new Map();
  for (const target of targets) {
    const steps = [...ancestorsOf(target.base), ...target.path.split("/")];
    let folder = steps.shift() ?? "";
    for (const step of steps) {
      if (!isFolder(folder)) break;
      addNames(folders, folder, step);
      addLinkTarget(folders, folder);
      folder = join(folder, step);
    }
    addLinkTarget(folders, folder);
    if (isFolder(folder)) addTree(folders, folder, target.deep ? DEEPEST : 0, []);
  }
  return folders;
}

/** The nearest existing folder above `base`, then the steps from there to `base`. */
function ancestorsOf(base: string): string[] {
  const steps: string[] = [];
  let folder = base;
  do {
    steps.unshift(basename(folder));
    folder = dirname(folder);
  } while (!isFolder(folder) && folder !== dirname(folder));
  return [folder, ...steps];
}

function addNames(folders: Folders, folder: string, name: string): void {
  const names = folders.get(folder);
  if (names === undefined) folders.set(folder, new Set([name]));
  else if (names !== "everything") names.add(name);
}

function addTree(folders: Folders, folder: string, depth: number, chain: readonly string[]): void {
  if (folders.size >= MOST_FOLDERS) return;
  const real = realPath(folder);
  if (real === undefined || chain.includes(real)) return;
  folders.set(folder, "everything");
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) addLinkTarget(folders, path);
    const isInside = depth > 0 && !SKIPPED.has(entry.name);
    if (isInside && (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path)))) {
      addTree(folders, path, depth - 1, [...chain, real]);
    }
  }
}

/** What happens to the target of a link, which need not exist, happens in another folder. */
function addLinkTarget(folders: Folders, path: string): void {
  let link = path;
  for (let hops = 0; hops < MOST_HOPS; hops += 1) {
    const target = targetOf(link);
    if (target === undefined) return;
    const [folder = "", step = ""] = ancestorsOf(target);
    addNames(folders, folder, step);
    link = target;
  }
}

// Everything may vanish while it is looked at; then there is nothing to watch, and somebody above it notices.

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    systemCode(error);
    return false;
  }
}

/** Where a link leads, one step of the way. */
function targetOf(path: string): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? resolve(dirname(path), readlinkSync(path)) : undefined;
  } catch (error) {
    systemCode(error);
    return undefined;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    systemCode(error);
    return undefined;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    systemCode(error);
    return [];
  }
}
