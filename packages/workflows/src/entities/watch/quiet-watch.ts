import { FolderWatch, foldersToWatch } from "./folders.ts";

/** Changes are collected for this long. */
const quietMs = 100;
/** Two looks are at least this far apart: a run can record hundreds of events a second, and what you type waits while they are drawn. */
const apartMs = 500;

/** Looks again when folders have changed, once for many changes. It does not keep a process alive. */
export class QuietWatch {
  readonly #look: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #watch: FolderWatch;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(look: () => Promise<void>, failed: (error: unknown) => void) {
    this.#look = look;
    this.#failed = failed;
    this.#watch = new FolderWatch({ keepAlive: false, onEvent: () => this.soon() });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a folder is watched only now, so something may have happened in it before. */
  follow(targets: Parameters<typeof foldersToWatch>[0]): boolean {
    return this.#watch.follow(foldersToWatch(targets));
  }

  soon(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    const sinceLook = performance.now() - this.#lookedAt;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#lookedAt = performance.now();
        this.#look().catch(this.#failed);
      },
      Math.max(quietMs, apartMs - sinceLook),
    );
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watch.close();
  }
}
