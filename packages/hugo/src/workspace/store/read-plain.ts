import * as fs from "node:fs";
import { HugoError } from "../../errors.ts";
import { unlessMissing } from "./unless-missing.ts";

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
    // Once more on what was really opened: it may have been swapped in between.
    const opened = fs.fstatSync(file);
    refuseUnlessPlain(path, opened);
    return { bytes: fs.readFileSync(file), mode: opened.mode & 0o7777 };
  } finally {
    fs.closeSync(file);
  }
}

function refuseUnlessPlain(path: string, stat: fs.Stats): void {
  if (!stat.isFile())
    throw unsafe(path, `${stat.isDirectory() ? "a folder" : "a FIFO, a socket or a device"}, not a plain file`);
  if (stat.size > LARGEST) throw unsafe(path, `larger than ${LARGEST} bytes`);
}

function unsafe(path: string, what: string): HugoError {
  const hint = "Move it away, then run the command again. Nothing was changed.";
  return new HugoError("place-unsafe", { message: `${path} is ${what}`, at: path, hint });
}
