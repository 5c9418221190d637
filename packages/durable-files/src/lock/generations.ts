// A lock is a folder of numbered folders, one for each time the lock was taken:
//   lock/7/owner.json     generation 7 holds the lock (unless that process is dead)
//   lock/7/released.json  generation 7 has released it
// The highest number counts. A generation appears with its complete content by one rename, which fails while the number is taken,
// and needs no hard links. Numbers never go back and the highest is never removed, so a number is also a fencing token.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt, errnoOf } from "../files/errno.ts";
import { removeEmptyFolder, removeFile } from "../files/folder.ts";
import { readAll, withPlainFile, writeFull } from "../files/plain-file.ts";
import type { LockOwner } from "./owner.ts";

export const held = "owner.json";
export const released = "released.json";

/** Taking the lock every millisecond for thirty years: no real lock gets higher, and numbers must stay exact. */
const highest = 1e12 - 1;

/** All generations in the folder, lowest first. */
export function generations(folder: string): number[] {
  const numbered = fs.readdirSync(folder).filter((name) => /^[1-9]\d*$/.test(name));
  const absurd = numbered.find((name) => Number(name) > highest);
  if (absurd !== undefined) {
    const path = join(folder, absurd);
    throw new DurableError("damaged", {
      message: `The lock folder contains ${path}, whose generation number is impossibly high`,
      at: path,
      hint: `Make sure that no other process is using this folder, then remove ${path}.`,
    });
  }
  return numbered.map(Number).sort((a, b) => a - b);
}

/** The owner of a generation, or undefined once it was released; "gone" if it has been removed. */
export function ownerOf(folder: string, generation: number): LockOwner | "gone" | undefined {
  const path = join(folder, String(generation));
  const file = join(path, held);
  let text: string | undefined;
  // Read again if the file is missing: the folder may have been replaced a moment ago.
  for (let reads = 0; text === undefined && reads < 2; reads++) {
    text = withPlainFile(file, (fd) => readAll(fd, file, 64 * 1024).toString("utf8"));
    if (reads === 0 && text === undefined && !fs.existsSync(path)) return "gone";
  }
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const owner = Object(value) as Record<keyof LockOwner, unknown>;
  const texts = [owner.host, owner.purpose, owner.since];
  const optional = [owner.started, owner.boot, owner.pidSpace];
  const isOwner =
    Number.isSafeInteger(owner.pid) &&
    (owner.pid as number) > 0 &&
    (owner.pid as number) < 2 ** 31 &&
    texts.every((each) => typeof each === "string") &&
    optional.every((each) => each === null || typeof each === "string");
  if (isOwner) return owner as LockOwner;
  throw new DurableError("damaged", {
    message: `The lock file ${file} is damaged: it does not record who holds the lock`,
    at: file,
    hint: `Make sure that no other process is using this folder, then remove ${path}.`,
  });
}

/** Takes a generation. Returns the open owner file, or undefined if another process was faster. */
export function claim(folder: string, generation: number, owner: LockOwner): number | undefined {
  const temp = `tmp-${process.pid}-${randomBytes(6).toString("hex")}`;
  const path = join(folder, temp);
  fs.mkdirSync(path);
  let fd: number | undefined;
  try {
    fd = fs.openSync(join(path, held), "wx");
    writeFull(fd, Buffer.from(`${JSON.stringify(owner)}\n`), path);
    fs.fsyncSync(fd);
    fs.renameSync(path, join(folder, String(generation)));
    return fd;
  } catch (error) {
    if (fd !== undefined) fs.closeSync(fd);
    discard(folder, temp);
    // ENOENT: another process removed our temporary folder.
    if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Removes a generation or temporary folder. It is renamed first, so no process ever finds it half empty under its old name. */
export function discard(folder: string, name: string): void {
  const gone = join(folder, `gone-${randomBytes(6).toString("hex")}`);
  if (!attempt(() => fs.renameSync(join(folder, name), gone), "ENOENT")) return;
  removeFile(join(gone, held));
  removeFile(join(gone, released));
  removeEmptyFolder(gone);
}
