import type { Disk } from "./file-states.ts";
import type { DiskFile } from "./snapshot.ts";
import type { FileChange } from "./step.ts";

/** The files below `.opencode` as they will be: later steps see what earlier ones decided. */
export class FileDraft {
  readonly #read: (paths: Iterable<string>) => Disk;
  readonly #changes = new Map<string, FileChange>();

  constructor(read: (paths: Iterable<string>) => Disk) {
    this.#read = read;
  }

  disk(paths: Iterable<string>): Map<string, DiskFile> {
    const asked = [...new Set(paths)];
    const disk = new Map(this.#read(asked.filter((path) => !this.#changes.has(path))));
    for (const path of asked) {
      const change = this.#changes.get(path);
      if (change?.kind !== "write") continue;
      const { bytes, executable, mode } = change;
      disk.set(path, { bytes, executable, ...(mode !== undefined && { mode }) });
    }
    return disk;
  }

  change(changes: Iterable<FileChange>): void {
    for (const change of changes) this.#changes.set(change.path, change);
  }

  /** What is left to do on the disk: a file that came and went in between is not mentioned. */
  changes(): FileChange[] {
    const there = this.#read(this.#changes.keys());
    return [...this.#changes.values()].filter((change) => {
      const now = there.get(change.path);
      if (change.kind === "delete") return now !== undefined;
      if (now === undefined || now.executable !== change.executable) return true;
      const isOtherMode = change.mode !== undefined && change.mode !== now.mode;
      return isOtherMode || Buffer.compare(now.bytes, change.bytes) !== 0;
    });
  }
}
