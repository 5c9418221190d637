import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { DurableError } from "../errors.ts";
import { attempt, explain } from "./errno.ts";
import type { Hash } from "./hash.ts";
import { inItsFolder } from "./pinned.ts";
import { syncTogether } from "./sync-together.ts";

const { O_RDONLY, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

export function hashOf(bytes: Uint8Array): Hash {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Opens a plain file for reading and runs `use` on it; undefined if it does not exist. Never waits on a FIFO, never opens a device. */
export function withPlainFile<T>(path: string, use: (fd: number, stat: fs.Stats) => T): T | undefined {
  // A path below something that is not a folder has no file either.
  const seen = attempt(() => fs.statSync(path, { throwIfNoEntry: false }), "ENOTDIR")?.value;
  if (seen === undefined) return undefined;
  refuseUnlessPlain(path, seen);
  const fd = attempt(() => fs.openSync(path, O_RDONLY | O_NONBLOCK), "ENOENT")?.value;
  if (fd === undefined) return undefined;
  try {
    // Check the open file again: it may have been replaced between the two calls.
    const stat = fs.fstatSync(fd);
    refuseUnlessPlain(path, stat);
    return use(fd, stat);
  } finally {
    fs.closeSync(fd);
  }
}

/** All bytes of an open file, up to `limit`. */
export function readAll(fd: number, path: string, limit: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  forEachChunk(fd, (chunk) => {
    length += chunk.length;
    if (length > limit) {
      throw new DurableError("unsafe-file", {
        message: `${path} is larger than ${limit} bytes, which is too large to edit`,
        at: path,
        hint: "Check that this is the file you meant.",
      });
    }
    chunks.push(Buffer.from(chunk));
  });
  return Buffer.concat(chunks, length);
}

/** Reads an open file from its position to its end; the chunk passed to `visit` is reused afterwards. */
export function forEachChunk(fd: number, visit: (chunk: Buffer) => void): void {
  const buffer = Buffer.allocUnsafe(1 << 18);
  for (let got = fs.readSync(fd, buffer); got > 0; got = fs.readSync(fd, buffer)) visit(buffer.subarray(0, got));
}

/** The hash of a plain file of any size; undefined if it does not exist. */
export function hashFile(path: string): Hash | undefined {
  return withPlainFile(path, (fd) => {
    const hash = createHash("sha256");
    forEachChunk(fd, (chunk) => hash.update(chunk));
    return `sha256:${hash.digest("hex")}` as const;
  });
}

export function refuseUnlessPlain(path: string, stat: fs.Stats): void {
  if (stat.isFile()) return;
  let kind = "a device";
  if (stat.isDirectory()) kind = "a folder";
  else if (stat.isFIFO()) kind = "a FIFO";
  else if (stat.isSocket()) kind = "a socket";
  else if (stat.isSymbolicLink()) kind = "a symbolic link";
  throw new DurableError("unsafe-file", {
    message: `${path} is ${kind}, not a plain file`,
    at: path,
    hint: "Move it, or use a different file.",
  });
}

/**
 * Writes every byte or throws. Bun's `writeSync` returns after a short write, so the loop is ours, and `writeFileSync` is banned
 * in this package: Bun's empties the file when the disk is full.
 */
export function writeFull(fd: number, bytes: Uint8Array, at: string): void {
  let done = 0;
  while (done < bytes.length) {
    const written = fs.writeSync(fd, bytes, done, bytes.length - done);
    if (written === 0) {
      throw new DurableError("io", {
        message: `${at}: the file system accepted only ${done} of ${bytes.length} bytes`,
        at,
        hint: "Check the disk for free space and errors.",
      });
    }
    done += written;
  }
}

export type NewContent = { bytes: Uint8Array; mode?: number | undefined; gid?: number | undefined };

/** Creates a file that did not exist, with all its bytes on disk. The folder entry is durable after `fsyncFolder`. */
export function createFile(path: string, file: NewContent): void {
  const fd = writeNewFile(path, file);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export type NewFile = NewContent & {
  path: string;
  /** The file that an error is about, if not this one. */
  at?: string;
  /** Its folder is a real path, and must still be there. */
  isPinned?: boolean;
};

/** The same for many files, with far fewer flushes of the disk. */
export async function createFiles(files: readonly NewFile[]): Promise<void> {
  const failed = (error: unknown, { path, at = path }: NewFile): unknown =>
    explain(error, `${at} cannot be written`, "Check the disk's free space and the folder's permissions.", at);
  const write = (file: NewFile): number => {
    try {
      return writeNewFile(file.path, file, file.isPinned);
    } catch (error) {
      throw failed(error, file);
    }
  };
  await syncTogether(files, write, failed);
}

/**
 * Gives a new file the group of the one that it stands in for, and returns the mode to set. The system refuses a group that you
 * are not in; the file then keeps its own group, and everyone but you gets only what both the old group and all others had.
 */
export function modeInGroup(fd: number, gid: number, mode: number): number {
  const now = fs.fstatSync(fd);
  if (now.gid === gid) return mode;
  // The uid is spelled out: Bun 1.3.14 takes -1 ("keep") for the user 4294967294. EINVAL: a container does not know the group.
  if (attempt(() => fs.fchownSync(fd, now.uid, gid), "EPERM", "EINVAL") !== undefined) return mode;
  const shared = mode & (mode >> 3) & 0o007;
  return (mode & ~(S_ISGID | 0o077)) | (shared << 3) | shared;
}

const S_ISGID = 0o2000;

/** Creates a file with its content, which may not be on disk yet, and leaves it open. */
function writeNewFile(path: string, { bytes, mode, gid }: NewContent, isPinned = false): number {
  // Private until the mode is set, so a secret is never readable, not even for a moment.
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  const open = (at: string): number => fs.openSync(at, flags, mode === undefined ? 0o666 : 0o600);
  const fd = isPinned ? inItsFolder(path, open) : open(path);
  try {
    writeFull(fd, bytes, path);
    if (mode !== undefined) fs.fchmodSync(fd, gid === undefined ? mode : modeInGroup(fd, gid, mode));
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}
