import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import { systemCode } from "../system-error.ts";
import { type Folders, MOST_FOLDERS } from "./folders.ts";

export interface FolderWatchOptions {
  readonly keepAlive: boolean;
  /** Something happened that may matter. */
  readonly onEvent: () => void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly names: Set<string> | "everything";
}

/** Watches a changing set of single folders: recursive watching of a project would mean all of its node_modules. */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #problems = new Map<string, Diagnostic>();

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** Folders whose changes go unnoticed, and why. */
  problems(): readonly Diagnostic[] {
    return [...this.#problems.values()];
  }

  /** Watches these folders from now on and no others. Says whether some are new, so that it pays to look again. */
  follow(folders: Folders): boolean {
    for (const path of this.#watched.keys()) if (!folders.has(path)) this.#close(path);
    this.#problems.clear();
    if (folders.size >= MOST_FOLDERS) this.#problems.set("", tooManyFolders());
    let isNew = false;
    for (const [path, names] of folders) {
      const known = this.#watched.get(path);
      if (known !== undefined) this.#watched.set(path, { ...known, names });
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
      watcher.on("change", (_event, name) => this.#notice(path, name === null ? undefined : String(name)));
      watcher.on("error", (error) => this.#lose(path, systemCode(error)));
      this.#watched.set(path, { watcher, names });
      return true;
    } catch (error) {
      const code = systemCode(error);
      // Gone since it was listed: whoever watches the folder above will tell.
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#problems.set(path, unwatched(path, code));
      return false;
    }
  }

  #notice(path: string, name: string | undefined): void {
    const names = this.#watched.get(path)?.names;
    if (names === undefined) return;
    const isItself = name === undefined || name === basename(path);
    if (!isItself && names !== "everything" && !names.has(name)) return;
    this.#closeStale(isItself ? path : join(path, name));
    this.#options.onEvent();
  }

  /**
   * A folder that was deleted and made again looks the same, down to its inode, but its old watcher is deaf. All
   * watchers of a path close at once, and open again later: Bun shares one among all that watch the same path.
   */
  #closeStale(path: string): void {
    // What is no folder here may be where a link leads, from anywhere.
    const isFolder = this.#watched.has(path);
    const isLinkTarget = !isFolder && this.#watched.get(dirname(path))?.names !== "everything";
    for (const other of [...this.#watched.keys()]) {
      if (isLinkTarget || other === path || (isFolder && other.startsWith(path + sep))) this.#close(other);
    }
  }

  #lose(path: string, code: string): void {
    this.#close(path);
    // Windows reports the deletion of a watched folder as an error.
    if (code !== "EPERM" && code !== "ENOENT") this.#problems.set(path, unwatched(path, code));
    this.#options.onEvent();
  }

  #close(path: string): void {
    this.#watched.get(path)?.watcher.close();
    this.#watched.delete(path);
  }
}

const POLL = "Set `pollMs` to look from time to time, too.";

function unwatched(path: string, code: string): Diagnostic {
  const message = `Changes in this folder go unnoticed: it cannot be watched (${code}).`;
  const limit =
    "Raise the limit of the system (fs.inotify.max_user_watches), or set `pollMs` to look from time to time.";
  const hint = code === "ENOSPC" || code === "EMFILE" ? limit : POLL;
  return { severity: "warning", code: "watch-failed", message, path, hint };
}

function tooManyFolders(): Diagnostic {
  const message = `Only the first ${MOST_FOLDERS} folders are watched; changes in others go unnoticed.`;
  return { severity: "warning", code: "watch-limit", message, hint: POLL };
}
