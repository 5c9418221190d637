import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { DurableError } from "../errors.ts";
import { errnoOf } from "./errno.ts";
import { missingFolders } from "./folder.ts";

/** Where a folder is once links are followed, and which part of it is still to be made, outermost first. */
export function realFolder(folder: string): { path: string; missing: string[] } {
  const missing = existing(folder, () => missingFolders(folder));
  const deepest = missing[0] === undefined ? folder : dirname(missing[0]);
  const real = existing(deepest, () => fs.realpathSync.native(deepest));
  if (!fs.statSync(real).isDirectory()) throw unsafe(deepest, "is not a folder", "Move it, or use a different path.");
  const inReal = (path: string): string => join(real, path.slice(deepest.length));
  return { path: inReal(folder), missing: missing.map(inReal) };
}

/** The file that a link leads to. */
export function followLink(link: string): { path: string; stat: fs.Stats } {
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

export function unsafe(path: string, what: string, hint: string): DurableError {
  return new DurableError("unsafe-file", { message: `${path} ${what}`, at: path, hint });
}
