import * as fs from "node:fs";
import { HugoError } from "../../errors.ts";
import { errnoOf } from "./remove-tree.ts";

export interface NewFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
  /** Whether it must survive a power cut. What can be fetched again and is checked by its hash need not. */
  readonly durable: boolean;
}

/** Writes a file that nobody knows yet: whole, or not without an error. */
export function writeNew(path: string, { bytes, executable, durable }: NewFile): void {
  const file = fs.openSync(path, "wx", executable ? 0o777 : 0o666);
  try {
    for (let done = 0; done < bytes.length; ) {
      // Of Bun's `writeSync` and a disk that is nearly full, one call may write a part only.
      const written = fs.writeSync(file, bytes, done, bytes.length - done);
      if (written === 0) throw full(path);
      done += written;
    }
    if (durable) fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Makes the names in a folder survive a power cut. */
export function syncFolder(folder: string): void {
  const file = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(file);
  } catch (error) {
    // Some network file systems cannot do that for a folder.
    if (!["EINVAL", "ENOTSUP"].includes(errnoOf(error) ?? "")) throw error;
  } finally {
    fs.closeSync(file);
  }
}

function full(path: string): HugoError {
  return new HugoError("disk-refused", {
    message: `${path} could not be written: the disk takes no more`,
    at: path,
    hint: "Free some disk space, then run the command again.",
  });
}
