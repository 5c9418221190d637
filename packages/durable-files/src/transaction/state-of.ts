import * as fs from "node:fs";
import { errnoOf } from "../files/errno.ts";
import { hashFile } from "../files/plain-file.ts";

/** What is at a path, comparable and storable: `absent`, `sha256:…`, `link:<text of the link>`, or `other` (a folder, a FIFO …). */
export type PathState = string;

/** Looks at a path itself: a link is not followed. */
export function stateOf(path: string): PathState {
  const stat = lstat(path);
  if (stat === undefined) return "absent";
  if (stat.isSymbolicLink()) return `link:${fs.readlinkSync(path)}`;
  if (!stat.isFile()) return "other";
  return hashFile(path) ?? "absent";
}

export function isThere(path: string): boolean {
  return lstat(path) !== undefined;
}

/** Undefined if nothing is at the path, also when one of its parents has become a file. */
function lstat(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
