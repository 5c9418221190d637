import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { DurableError } from "../errors.ts";
import { errnoOf } from "./errno.ts";
import type { Hash } from "./hash.ts";

const { O_RDONLY, O_NONBLOCK } = fs.constants;

export function hashOf(bytes: Uint8Array): Hash {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Runs `use` on a plain file opened for reading; undefined if there is none. Never waits on a FIFO, never opens a device. */
export function withPlainFile<T>(path: string, use: (fd: number, stat: fs.Stats) => T): T | undefined {
  const seen = statIfAny(path);
  if (seen === undefined) return undefined;
  refuseUnlessPlain(path, seen);
  const fd = openUnlessGone(path);
  if (fd === undefined) return undefined;
  try {
    // Once more on the open file: it may have been swapped between the two calls.
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
    if (length > limit) throw tooLarge(path, limit);
    chunks.push(Buffer.from(chunk));
  });
  return Buffer.concat(chunks, length);
}

/** Reads an open file from its position to its end; the chunk passed to `visit` is reused afterwards. */
export function forEachChunk(fd: number, visit: (chunk: Buffer) => void, size: number = 1 << 18): void {
  const buffer = Buffer.allocUnsafe(size);
  for (let got = fs.readSync(fd, buffer); got > 0; got = fs.readSync(fd, buffer)) visit(buffer.subarray(0, got));
}

/** The hash of a plain file of any size; undefined if there is none. */
export function hashFile(path: string): Hash | undefined {
  return withPlainFile(path, (fd) => {
    const hash = createHash("sha256");
    forEachChunk(fd, (chunk) => hash.update(chunk));
    return `sha256:${hash.digest("hex")}` as const;
  });
}

export function refuseUnlessPlain(path: string, stat: fs.Stats): void {
  if (stat.isFile()) return;
  throw new DurableError("unsafe-file", {
    message: `${path} is ${kindOf(stat)}, not a plain file`,
    at: path,
    hint: "Move it, or use a different file.",
  });
}

/** Below something that is no folder there is no file either. */
function statIfAny(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function openUnlessGone(path: string): number | undefined {
  try {
    return fs.openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function kindOf(stat: fs.Stats): string {
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a FIFO";
  if (stat.isSocket()) return "a socket";
  if (stat.isSymbolicLink()) return "a symbolic link";
  return "a device";
}

function tooLarge(path: string, limit: number): DurableError {
  return new DurableError("unsafe-file", {
    message: `${path} is larger than ${limit} bytes, too large to be edited`,
    at: path,
    hint: "Check that this is the file you meant.",
  });
}
