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
      watched = { path, callbacks: new Set(), seen: sizeOf(path) };
      this.#watched.set(name, watched);
    }
    watched.callbacks.add(callback);
    this.#timer ??= setInterval(() => this.#look(), everyMs);
    return () => this.#remove(name, callback);
  }

  /** This process has changed something itself. */
  changed(name: string): void {
    for (const callback of [...(this.#watched.get(name)?.callbacks ?? [])]) callback();
  }

  #look(): void {
    for (const [name, watched] of this.#watched) {
      const size = sizeOf(watched.path);
      if (size === watched.seen) continue;
      watched.seen = size;
      this.changed(name);
    }
  }

  #remove(name: string, callback: () => void): void {
    const watched = this.#watched.get(name);
    watched?.callbacks.delete(callback);
    if (watched?.callbacks.size === 0) this.#watched.delete(name);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function sizeOf(path: string): number {
  return statOf(path)?.size ?? -1;
}
