import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt, attemptTo, errnoOf } from "./errno.ts";

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
function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; fs.lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
    missing.unshift(at);
  return missing;
}

/** Creates one folder durably, unless it is there. */
export function makeFolder(folder: string): void {
  if (attempt(() => fs.mkdirSync(folder), "EEXIST")) fsyncFolder(dirname(folder));
}

/** Creates a folder and its missing parents durably. */
export function makeFolders(folder: string): void {
  for (const missing of missingFolders(folder)) makeFolder(missing);
}

/** Removes a file or link if it is there. */
export function removeFile(path: string): void {
  attempt(() => fs.unlinkSync(path), "ENOENT", "ENOTDIR");
}

/** Removes a folder if it is there and empty. A mount point, or a folder in a parent of another user, may not be removed. */
export function removeEmptyFolder(folder: string): "removed" | "stays" | "may not" {
  try {
    fs.rmdirSync(folder);
    return "removed";
  } catch (error) {
    const code = errnoOf(error) ?? "";
    if (["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(code)) return "stays";
    if (!["EACCES", "EPERM", "EBUSY"].includes(code)) throw error;
    // The system checks permissions first and the content second, so the folder may hold something all the same.
    const content = attemptTo(() => fs.readdirSync(folder), "EACCES", "EPERM", "ENOENT") ?? [];
    return content.length > 0 ? "stays" : "may not";
  }
}

/** Where a folder is once links are followed, and which part of it is still to be made, outermost first. */
export function realFolder(folder: string): { path: string; missing: string[] } {
  const missing = refusingBadLinks(folder, () => missingFolders(folder));
  const deepest = missing[0] === undefined ? folder : dirname(missing[0]);
  const real = refusingBadLinks(deepest, () => fs.realpathSync.native(deepest));
  if (!fs.statSync(real).isDirectory()) throw unsafe(deepest, "is not a folder", "Move it, or use a different path.");
  const [path, ...rest] = [folder, ...missing].map((each) => join(real, each.slice(deepest.length)));
  return { path: path!, missing: rest };
}

/** The file that a link leads to. */
export function followLink(link: string): { path: string; stat: fs.Stats } {
  const path = refusingBadLinks(link, () => fs.realpathSync.native(link));
  return { path, stat: fs.lstatSync(path) };
}

function refusingBadLinks<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") throw unsafe(path, "is a symbolic link to nothing", "Repair or remove the link.");
    if (code === "ELOOP")
      throw unsafe(path, "is a symbolic link that leads back to itself", "Repair or remove the link.");
    if (code === "ENOTDIR") throw unsafe(path, "is below something that is not a folder", "Use a different path.");
    throw error;
  }
}

export function unsafe(path: string, what: string, hint: string): DurableError {
  return new DurableError("unsafe-file", { message: `${path} ${what}`, at: path, hint });
}
