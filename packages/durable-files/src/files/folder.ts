import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt, errnoOf } from "./errno.ts";
import { syncTogether } from "./sync-together.ts";

/** How some network and FUSE file systems say that they cannot sync a folder. */
const noFolderSync = ["EINVAL", "ENOTSUP"];

/** Makes creations, renames and removals in a folder survive a power cut. */
export function fsyncFolder(folder: string): void {
  const fd = fs.openSync(folder, "r");
  try {
    attempt(() => fs.fsyncSync(fd), ...noFolderSync);
  } finally {
    fs.closeSync(fd);
  }
}

/** The same for the folders around many paths. A folder that is gone has nothing to keep. */
export async function fsyncFoldersOf(paths: Iterable<string>): Promise<void> {
  const folders = [...new Set([...paths].map((path) => dirname(path)))];
  await syncTogether(
    // A parent may have become a file.
    folders.filter((folder) => attempt(() => fs.lstatSync(folder), "ENOENT", "ENOTDIR")?.value.isDirectory() === true),
    (folder) => fs.openSync(folder, "r"),
    (error) => (noFolderSync.includes(errnoOf(error) ?? "") ? undefined : error),
  );
}

/** The folders to create, outermost first, before `folder` exists. */
export function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; fs.lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
    missing.unshift(at);
  return missing;
}

/** Creates one folder durably, unless it exists. */
export function makeFolder(folder: string): void {
  if (attempt(() => fs.mkdirSync(folder), "EEXIST")) fsyncFolder(dirname(folder));
}

/** Removes a file or link if it exists. */
export function removeFile(path: string): void {
  attempt(() => fs.unlinkSync(path), "ENOENT", "ENOTDIR");
}

/** Removes a folder if it exists and is empty. A mount point, or a folder in another user's folder, may not be removed. */
export function removeEmptyFolder(folder: string): "removed" | "stays" | "may not" {
  try {
    fs.rmdirSync(folder);
    return "removed";
  } catch (error) {
    const code = errnoOf(error) ?? "";
    if (["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(code)) return "stays";
    if (!["EACCES", "EPERM", "EBUSY"].includes(code)) throw error;
    // The system checks permissions first and the content second, so the folder may still contain something.
    const content = attempt(() => fs.readdirSync(folder), "EACCES", "EPERM", "ENOENT");
    return content !== undefined && content.value.length > 0 ? "stays" : "may not";
  }
}

/** Where a folder is after following links, and which folders on the way do not exist yet, outermost first. */
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
    if (code === "ENOENT") throw unsafe(path, "is a broken symbolic link", "Repair or remove the link.");
    if (code === "ELOOP")
      throw unsafe(path, "is a symbolic link that points back to itself", "Repair or remove the link.");
    if (code === "ENOTDIR") throw unsafe(path, "has a parent that is not a folder", "Use a different path.");
    throw error;
  }
}

export function unsafe(path: string, what: string, hint: string): DurableError {
  return new DurableError("unsafe-file", { message: `${path} ${what}`, at: path, hint });
}
