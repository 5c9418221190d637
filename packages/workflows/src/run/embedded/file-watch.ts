import { statOf } from "./run-files.ts";

/** Often enough for a cancel to arrive within a second. */
const everyMs = 200;

interface Watched {
  readonly path: string;
  readonly callbacks: Set<() => void>;
  /** Its size, -1 if there is no such file. */
  seen: number;
}

/** Looks at files again and again: the one way to learn of other processes that works on every file system. */
export class FileWatch {
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  add(name: string, path: string, callback: () => void): () => void {
    let watched = this.#watched.get(name);
    if (watched === undefined) {
      watched = { path, callbacks: new Set(), seen: statOf(path)?.size ?? -1 };
      this.#watched.set(name, watched);
    }
    watched.callbacks.add(callback);
    this.#timer ??= setInterval(() => {
      for (const [each, file] of this.#watched) {
        const size = statOf(file.path)?.size ?? -1;
        if (size === file.seen) continue;
        file.seen = size;
        this.changed(each);
      }
    }, everyMs);
    return () => {
      const file = this.#watched.get(name);
      file?.callbacks.delete(callback);
      if (file?.callbacks.size === 0) this.#watched.delete(name);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** This process has changed something itself. */
  changed(name: string): void {
    for (const callback of [...(this.#watched.get(name)?.callbacks ?? [])]) callback();
  }
}
