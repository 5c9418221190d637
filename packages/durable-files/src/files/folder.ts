import * as fs from "node:fs";
import { dirname } from "node:path";
import { attempt } from "./errno.ts";

/** Makes creations, renames and removals in a folder survive a power cut. */
export function fsyncFolder(folder: string): void {
  const fd = fs.openSync(folder, "r");
  try {
    // Some network and FUSE file systems cannot sync a folder and say so with these two.
    attempt(() => fs.fsyncSync(fd), "EINVAL", "ENOTSUP");
  } finally {
    fs.closeSync(fd);
  }
}

/** The folders to create, outermost first, so that `folder` exists. */
export function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; fs.lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
    missing.unshift(at);
  return missing;
}

/** Creates one folder durably; true if it was not there before. */
export function makeFolder(folder: string): boolean {
  const created = attempt(() => fs.mkdirSync(folder), "EEXIST");
  if (created) fsyncFolder(dirname(folder));
  return created;
}

/** Creates a folder and its missing parents durably. */
export function makeFolders(folder: string): void {
  for (const missing of missingFolders(folder)) makeFolder(missing);
}

/** Removes a file or link if it is there. */
export function removeFile(path: string): boolean {
  return attempt(() => fs.unlinkSync(path), "ENOENT");
}

/** Removes a folder if it is there and empty. */
export function removeEmptyFolder(folder: string): boolean {
  return attempt(() => fs.rmdirSync(folder), "ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR");
}
