// The only place that puts bytes into a file. `writeFileSync` is banned here: Bun's empties the file when the disk is full.
import * as fs from "node:fs";
import { DurableError } from "../errors.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

/** Writes every byte or throws. Bun's `writeSync` returns after a short write, so the loop is ours. */
export function writeFull(fd: number, bytes: Uint8Array, at: string): void {
  let done = 0;
  while (done < bytes.length) {
    const written = fs.writeSync(fd, bytes, done, bytes.length - done);
    if (written === 0) {
      throw new DurableError("io", {
        message: `${at}: the file system accepted only ${done} of ${bytes.length} bytes`,
        at,
        hint: "Check the free space and the health of the disk.",
      });
    }
    done += written;
  }
}

export type NewFile = { bytes: Uint8Array; mode?: number | undefined; gid?: number | undefined };

/** Creates a file that did not exist, with all its bytes on disk. The folder entry is durable after `fsyncFolder`. */
export function createFile(path: string, file: NewFile): void {
  // Private until the mode is set, so that a secret is never readable for a moment.
  const fd = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, file.mode === undefined ? 0o666 : 0o600);
  try {
    writeFull(fd, file.bytes, path);
    const now = fs.fstatSync(fd);
    // The uid is spelled out: Bun 1.3.14 takes -1 ("keep") for the user 4294967294.
    if (file.gid !== undefined && now.gid !== file.gid) fs.fchownSync(fd, now.uid, file.gid);
    if (file.mode !== undefined) fs.fchmodSync(fd, file.mode);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
