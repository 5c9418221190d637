import * as fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DurableError } from "../errors.ts";
import { refuseUnlessPlain } from "../files/plain-file.ts";
import { followLink, realFolder, unsafe } from "../files/real-place.ts";

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
  const path = resolve(named);
  if (path === dirname(path)) throw unsafe(path, "is the root folder", "Name a file.");
  // A slash at the end, or a dot as the last part, asks for a folder; `resolve` would hide that.
  if (named === "" || named.includes("\0") || /(?:^|\/)\.{0,2}$/.test(named)) {
    const message = `${JSON.stringify(named)} is not a path of a file`;
    throw new DurableError("unsafe-path", { message, at: path, hint: "Name a file." });
  }
  const parent = realFolder(dirname(path));
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
