import * as fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DurableError } from "../errors.ts";
import { errnoOf } from "../files/errno.ts";
import { missingFolders } from "../files/folder.ts";
import { refuseUnlessPlain } from "../files/plain-file.ts";

/** Where a change really lands. */
export type Target = {
  /** Free of symbolic links, except that the last part may be a link that is to be removed. */
  path: string;
  /** Of the file that is there now. */
  stat: fs.Stats | undefined;
  /** Parents that do not exist yet, outermost first. */
  missing: string[];
};

/** Follows links to the file a change is about and refuses what may not be touched. */
export function resolveTarget(named: string, removal: boolean): Target {
  if (named === "" || named.includes("\0")) {
    throw new DurableError("unsafe-path", { message: `${JSON.stringify(named)} is not a path of a file` });
  }
  const path = resolve(named);
  if (path === dirname(path)) throw unsafe(path, "is the root folder", "Name a file.");
  const parent = resolveParent(dirname(path));
  const place = join(parent.path, basename(path));
  if (parent.missing.length > 0) return { path: place, stat: undefined, missing: parent.missing };
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return { path: place, stat, missing: [] };
  // Removing a link leaves the file behind it alone, as `rm` does; writing goes through the link and keeps it.
  const real = stat.isSymbolicLink() && !removal ? followLink(place) : { path: place, stat };
  if (!real.stat.isSymbolicLink()) refuseUnlessPlain(real.path, real.stat);
  refuseForeign(real.path, real.stat);
  return { ...real, missing: [] };
}

function resolveParent(folder: string): { path: string; missing: string[] } {
  const missing = existing(folder, () => missingFolders(folder));
  const deepest = missing[0] === undefined ? folder : dirname(missing[0]);
  const real = existing(deepest, () => fs.realpathSync.native(deepest));
  if (!fs.statSync(real).isDirectory()) throw unsafe(deepest, "is not a folder", "Move it away, or name another path.");
  const inReal = (path: string): string => join(real, path.slice(deepest.length));
  return { path: inReal(folder), missing: missing.map(inReal) };
}

function followLink(link: string): { path: string; stat: fs.Stats } {
  const path = existing(link, () => fs.realpathSync.native(link));
  return { path, stat: fs.lstatSync(path) };
}

function existing<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") throw unsafe(path, "is a symbolic link to nothing", "Repair or remove the link.");
    if (code === "ELOOP")
      throw unsafe(path, "is a symbolic link that leads back to itself", "Repair or remove the link.");
    if (code === "ENOTDIR") throw unsafe(path, "lies below something that is not a folder", "Name another path.");
    throw error;
  }
}

function refuseForeign(path: string, stat: fs.Stats): void {
  const me = process.geteuid?.() ?? stat.uid;
  if (stat.uid !== me) {
    const hint = "Run the command as the owner of the file, or change its owner.";
    throw unsafe(path, `belongs to user ${stat.uid}, not to user ${me}`, hint);
  }
  if (stat.isFile() && (stat.mode & 0o200) === 0) {
    throw unsafe(path, "is read-only", "Make it writable (chmod u+w) if it may be changed.");
  }
}

function unsafe(path: string, what: string, hint: string): DurableError {
  return new DurableError("unsafe-file", { message: `${path} ${what}`, at: path, hint });
}
