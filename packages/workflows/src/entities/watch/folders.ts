import {
  type Dirent,
  type FSWatcher,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  watch,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import { lookOr, systemCode } from "../system-error.ts";

/** Something to watch. */
export interface Target {
  readonly base: string;
  /** A folder with entity files, or a config file; below `base`, with `/`. */
  readonly path: string;
  /** Whether to watch the folders below it, too. */
  readonly deep: boolean;
}

/** Folders to watch, each with the names in it that matter. */
export type Folders = Map<string, Set<string> | "everything">;

export const MOST_FOLDERS = 4_096;
const DEEPEST = 20;
const MOST_HOPS = 10;

/** Other people's files, often many. A skill in one of these is loaded, but not watched. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * Every existing folder where an event can change the targets: the targets themselves, the folders in them and above
 * them (a target may not exist yet, or may be moved away), and the targets of links.
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
  const real = lookOr(undefined, () => realpathSync.native(folder));
  if (real === undefined || chain.includes(real)) return;
  folders.set(folder, "everything");
  for (const entry of lookOr<Dirent[]>([], () => readdirSync(folder, { withFileTypes: true }))) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) addLinkTarget(folders, path);
    const isInside = depth > 0 && !SKIPPED.has(entry.name);
    if (isInside && (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path)))) {
      addTree(folders, path, depth - 1, [...chain, real]);
    }
  }
}

/** A link's target, which may not exist, is in another folder, so that folder must be watched, too. */
function addLinkTarget(folders: Folders, path: string): void {
  let link = path;
  for (let hops = 0; hops < MOST_HOPS; hops += 1) {
    const from = link;
    const target = lookOr(undefined, () => {
      const isLink = lstatSync(from, { throwIfNoEntry: false })?.isSymbolicLink() === true;
      return isLink ? resolve(dirname(from), readlinkSync(from)) : undefined;
    });
    if (target === undefined) return;
    const [folder = "", step = ""] = ancestorsOf(target);
    addNames(folders, folder, step);
    link = target;
  }
}

/** Anything may vanish at any time; then there is nothing to watch, and the watcher of a folder above notices. */
function isFolder(path: string): boolean {
  return lookOr(false, () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

export interface FolderWatchOptions {
  readonly keepAlive: boolean;
  /** Something happened that may matter. */
  readonly onEvent: () => void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly names: Set<string> | "everything";
  /** Which file or folder has each of the names. */
  readonly seen: ReadonlyMap<string, string>;
}

/** Changes when something else gets a name. */
function whatHas(names: Set<string> | "everything", folder: string): ReadonlyMap<string, string> {
  if (names === "everything") return new Map();
  const identityOf = (name: string): string => {
    const found = lookOr(undefined, () => lstatSync(join(folder, name), { throwIfNoEntry: false }));
    return found === undefined ? "" : `${found.ino} ${found.ctimeMs}`;
  };
  return new Map([...names].map((name) => [name, identityOf(name)]));
}

/** Watches a changing set of folders: watching a project recursively would include all of its node_modules. */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #problems = new Map<string, Diagnostic>();

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** Folders that cannot be watched, and why. */
  problems(): readonly Diagnostic[] {
    return [...this.#problems.values()];
  }

  /** Watches only these folders from now on. Returns whether some are new, so another look is worthwhile. */
  follow(folders: Folders): boolean {
    for (const path of this.#watched.keys()) if (!folders.has(path)) this.#close(path);
    this.#problems.clear();
    if (folders.size >= MOST_FOLDERS) {
      const message = `Only the first ${MOST_FOLDERS} folders are watched; changes in the others go unnoticed.`;
      this.#problems.set("", { severity: "warning", code: "watch-limit", message, hint: POLL });
    }
    let isNew = false;
    for (const [path, names] of folders) {
      const known = this.#watched.get(path);
      if (known !== undefined) this.#watched.set(path, { ...known, names, seen: whatHas(names, path) });
      else isNew = this.#open(path, names) || isNew;
    }
    return isNew;
  }

  close(): void {
    for (const path of [...this.#watched.keys()]) this.#close(path);
  }

  #open(path: string, names: Watched["names"]): boolean {
    try {
      const watcher = watch(path, { persistent: this.#options.keepAlive });
      // OpenCode's Bun leaves the name of a folder that was itself moved undefined, where others say null or its name.
      watcher.on("change", (event, name) => this.#heard(path, event, name?.toString()));
      watcher.on("error", (error) => {
        const code = systemCode(error);
        this.#close(path);
        // Windows reports the deletion of a watched folder as an error.
        if (code !== "EPERM" && code !== "ENOENT") this.#problems.set(path, unwatched(path, code));
        this.#options.onEvent();
      });
      this.#watched.set(path, { watcher, names, seen: whatHas(names, path) });
      return true;
    } catch (error) {
      const code = systemCode(error);
      // Gone since it was listed: the watcher of the folder above will report it.
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#problems.set(path, unwatched(path, code));
      return false;
    }
  }

  #heard(path: string, event: string, name: string | undefined): void {
    const watched = this.#watched.get(path);
    if (watched === undefined) return;
    const { names, seen } = watched;
    if (name === undefined || name === basename(path) || names === "everything" || names.has(name)) {
      this.#notice(path, name);
      return;
    }
    if (event !== "rename") return;
    // OpenCode's Bun reports only the old name of a rename, so look whether a name that matters is the new one.
    const now = whatHas(names, path);
    for (const [each, identity] of now) if (identity !== seen.get(each)) this.#notice(path, each);
  }

  #notice(path: string, name: string | undefined): void {
    const isItself = name === undefined || name === basename(path);
    // A folder that was deleted and created again looks the same, down to its inode, but its old watcher gets no events.
    // All watchers of a path close at once and open again later: Bun shares one among all that watch the same path.
    const stale = isItself ? path : join(path, name);
    // If it is not a watched folder, a link from anywhere may lead to it.
    const isFolder = this.#watched.has(stale);
    const isLinkTarget = !isFolder && this.#watched.get(dirname(stale))?.names !== "everything";
    for (const other of [...this.#watched.keys()]) {
      if (isLinkTarget || other === stale || (isFolder && other.startsWith(stale + sep))) this.#close(other);
    }
    this.#options.onEvent();
  }

  #close(path: string): void {
    this.#watched.get(path)?.watcher.close();
    this.#watched.delete(path);
  }
}

const POLL = "Set `pollMs` to also check for changes at regular intervals.";

function unwatched(path: string, code: string): Diagnostic {
  const message = `Changes in this folder go unnoticed: it cannot be watched (${code}).`;
  const limit = "Raise the system limit (fs.inotify.max_user_watches), or set `pollMs` to check regularly.";
  const hint = code === "ENOSPC" || code === "EMFILE" ? limit : POLL;
  return { severity: "warning", code: "watch-failed", message, path, hint };
}
