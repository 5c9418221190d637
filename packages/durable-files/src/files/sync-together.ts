import * as fs from "node:fs";
import { promisify } from "node:util";

const fsync = promisify(fs.fsync);
/** Enough for one flush of the disk to serve many files, and far below any limit on open files. */
const together = 64;

/**
 * Opens (and perhaps writes) each file, and returns when all of them are on disk. Their syncs overlap, so the file system needs
 * far fewer flushes than one for each.
 *
 * @param failed The error to throw for a failed sync; undefined if it does not matter.
 */
export async function syncTogether<T>(
  items: readonly T[],
  open: (item: T) => number,
  failed: (error: unknown, item: T) => unknown,
): Promise<void> {
  for (let first = 0; first < items.length; first += together) {
    const opened: { fd: number; item: T }[] = [];
    try {
      for (const item of items.slice(first, first + together)) opened.push({ fd: open(item), item });
      // All of them have to end before the first failure is thrown: none may still run when its file is closed.
      const synced = await Promise.allSettled(opened.map(({ fd }) => fsync(fd)));
      for (const [index, result] of synced.entries()) {
        const error = result.status === "rejected" ? failed(result.reason, opened[index]!.item) : undefined;
        if (error !== undefined) throw error;
      }
    } finally {
      for (const { fd } of opened) fs.closeSync(fd);
    }
  }
}
