import * as fs from "node:fs";
import { HugoError } from "../../errors.ts";
import type { PackageFile } from "../../packages/tree.ts";

/** Removes a folder if it exists and is empty. */
export function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errnoOf(error) ?? "")) throw error;
  }
}

/** The names in a folder; empty if it does not exist, or something else is in its place. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return [];
    throw error;
  }
}

/** The errno name (`ENOENT`) of a failed file system call. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const LARGEST = 64 * 1024 * 1024;
const { O_RDONLY, O_NONBLOCK } = fs.constants;

export interface PlainFile {
  readonly bytes: Buffer;
  /** Permission bits. */
  readonly mode: number;
}

/** A whole file, links followed; undefined if there is none. Never waits for a FIFO and never opens a device. */
export function readPlain(path: string): PlainFile | undefined {
  const stat = unlessMissing(() => fs.statSync(path, { throwIfNoEntry: false }));
  if (stat === undefined) return undefined;
  refuseUnlessPlain(path, stat);
  const file = unlessMissing(() => fs.openSync(path, O_RDONLY | (O_NONBLOCK ?? 0)));
  if (file === undefined) return undefined;
  try {
    // Check what was really opened: the file may have been replaced meanwhile.
    const opened = fs.fstatSync(file);
    refuseUnlessPlain(path, opened);
    return { bytes: fs.readFileSync(file), mode: opened.mode & 0o7777 };
  } finally {
    fs.closeSync(file);
  }
}

function refuseUnlessPlain(path: string, stat: fs.Stats): void {
  if (stat.isFile() && stat.size <= LARGEST) return;
  const kind = stat.isDirectory() ? "a folder" : "a FIFO, a socket or a device";
  throw new HugoError("place-unsafe", {
    message: `${path} is ${stat.isFile() ? `larger than ${LARGEST} bytes` : `${kind}, not a regular file`}`,
    at: path,
    hint: "Move it somewhere else, then run the command again. Nothing was changed.",
  });
}

/** The result, or undefined if the file does not exist; nothing exists below a path that is not a folder. */
export function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** The same for a link that is followed: one that points back to itself leads nowhere. */
export function unlessNowhere<T>(look: () => T): T | undefined {
  try {
    return unlessMissing(look);
  } catch (error) {
    if (errnoOf(error) === "ELOOP") return undefined;
    throw error;
  }
}

/** Writes a new file completely, or throws. A power failure may lose it: it can be fetched again, and its hash is checked. */
export function writeNew(path: string, { bytes, executable }: PackageFile): void {
  const file = fs.openSync(path, "wx", executable ? 0o777 : 0o666);
  try {
    for (let done = 0; done < bytes.length; ) {
      // With Bun's `writeSync`, or on a nearly full disk, one call may write only a part.
      const written = fs.writeSync(file, bytes, done, bytes.length - done);
      if (written === 0) {
        throw new HugoError("disk-refused", {
          message: `${path} could not be written: the disk is full`,
          at: path,
          hint: "Free up disk space, then run the command again.",
        });
      }
      done += written;
    }
  } finally {
    fs.closeSync(file);
  }
}

export function randomName(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
