import * as fs from "node:fs";
import { dirname } from "node:path";
import { attempt, errnoOf } from "./errno.ts";

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
  return attempt(() => fs.unlinkSync(path), "ENOENT", "ENOTDIR");
}

/** Removes a folder if it is there and empty. A mount point, or a folder in a parent of somebody else, may not be removed. */
export function removeEmptyFolder(folder: string): "removed" | "stays" | "may not" {
  try {
    fs.rmdirSync(folder);
    return "removed";
  } catch (error) {
    const code = errnoOf(error) ?? "";
    if (["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(code)) return "stays";
    // The system looks at the right first and at the content second.
    if (["EACCES", "EPERM", "EBUSY"].includes(code)) return isKnownToHoldMore(folder) ? "stays" : "may not";
    throw error;
  }
}

function isKnownToHoldMore(folder: string): boolean {
  let count = 0;
  attempt(
    () => {
      count = fs.readdirSync(folder).length;
    },
    "EACCES",
    "EPERM",
    "ENOENT",
  );
  return count > 0;
}
