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
import { type LockOwner, parseOwner, pidExists } from "./owner.ts";

const held = "owner.json";
const released = "released.json";

/** One taking each millisecond for thirty years: what is higher was never reached, and numbers have to stay exact. */
const highest = 1e12 - 1;

/** All generations in the folder, lowest first. */
export function generations(folder: string): number[] {
  const numbered = fs.readdirSync(folder).filter((name) => /^[1-9]\d*$/.test(name));
  const absurd = numbered.find((name) => Number(name) > highest);
  if (absurd !== undefined) {
    const path = join(folder, absurd);
    throw new DurableError("damaged", {
      message: `The lock folder holds ${path}, a number that no lock has reached`,
      at: path,
      hint: `Make sure that no other process uses this folder, then remove ${path}.`,
    });
  }
  return numbered.map(Number).sort((a, b) => a - b);
}

export function generationFolder(folder: string, generation: number): string {
  return join(folder, String(generation));
}

/** The owner of a generation, or undefined once it was released; "gone" if it has been removed. */
export function ownerOf(folder: string, generation: number): LockOwner | "gone" | undefined {
  const path = generationFolder(folder, generation);
  const file = join(path, held);
  const read = (): string | undefined => withPlainFile(file, (fd) => readAll(fd, file, 64 * 1024).toString("utf8"));
  let text = read();
  if (text === undefined && !fs.existsSync(path)) return "gone";
  // What is there now may be another one than a moment ago.
  text ??= read();
  if (text === undefined) return undefined;
  const owner = parseOwner(text);
  if (owner !== undefined) return owner;
  throw new DurableError("damaged", {
    message: `The lock file ${file} is damaged: it does not say who holds the lock`,
    at: file,
    hint: `Make sure that no other process uses this folder, then remove ${path}.`,
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
    fs.renameSync(path, generationFolder(folder, generation));
    return fd;
  } catch (error) {
    if (fd !== undefined) fs.closeSync(fd);
    discard(folder, temp);
    // ENOENT: another process tidied our temporary folder away.
    if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

export function giveBack(folder: string, generation: number): void {
  const path = generationFolder(folder, generation);
  fs.renameSync(join(path, held), join(path, released));
}

/** Removes what dead processes and older generations left behind. Only the holder of `generation` may call it. */
export function tidy(folder: string, generation: number): void {
  // Ascending: a fenced holder sees its own generation gone before the one that follows it (see `assertHeld`).
  for (const older of generations(folder)) if (older <= generation - 2) discard(folder, String(older));
  for (const name of fs.readdirSync(folder)) {
    const pid = /^tmp-(\d+)-/.exec(name)?.[1];
    if (name.startsWith("gone-") || (pid !== undefined && !pidExists(Number(pid)))) discard(folder, name);
  }
}

/** Removes a generation or temporary folder. It is renamed first, so that no process ever finds it half empty under that name. */
export function discard(folder: string, name: string): void {
  const gone = join(folder, `gone-${randomBytes(6).toString("hex")}`);
  if (!attempt(() => fs.renameSync(join(folder, name), gone), "ENOENT")) return;
  removeFile(join(gone, held));
  removeFile(join(gone, released));
  removeEmptyFolder(gone);
}
