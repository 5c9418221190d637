// The life of `.hugo`: it appears with the first change, keeps itself out of git, and goes when nothing is left in it.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { namesIn, removeIfEmpty, removeTree } from "./remove-tree.ts";
import { writeNew } from "./write-new.ts";

const IGNORE_ALL = "*\n";
/** A lock on its way out, see `removeIfWorthless`. */
const GONE = "gone-";

/** For the holder of the lock: whatever an earlier command left half done goes. */
export function prepareStateFolder(stateFolder: string): void {
  removeLeftovers(stateFolder);
  const ignore = join(stateFolder, ".gitignore");
  if (fs.existsSync(ignore) && fs.readFileSync(ignore, "utf8").split(/\r?\n/).includes("*")) return;
  const unnamed = join(stateFolder, `${GONE}${randomBytes(6).toString("hex")}`);
  writeNew(unnamed, { bytes: Buffer.from(IGNORE_ALL), executable: false, durable: false });
  fs.renameSync(unnamed, ignore);
}

/** Folders that only live as long as a command. */
export function removeLeftovers(stateFolder: string): void {
  removeTree(join(stateFolder, "staging"));
  for (const name of namesIn(stateFolder)) if (name.startsWith(GONE)) removeTree(join(stateFolder, name));
}

/**
 * A state folder that holds nothing but its own lock goes, and the folder around it if that is all there was: a
 * declined installation leaves no trace. Only for the holder of the lock, as the last thing it does: others who wait
 * for it find no lock folder any more and make a new one.
 */
export function removeIfWorthless(stateFolder: string): void {
  for (const name of ["store", "bases", "generations"]) removeIfEmpty(join(stateFolder, name));
  const names = namesIn(stateFolder);
  if (names.some((name) => name !== "lock" && name !== ".gitignore")) return;
  fs.rmSync(join(stateFolder, ".gitignore"), { force: true });
  const gone = join(stateFolder, `${GONE}${randomBytes(6).toString("hex")}`);
  fs.renameSync(join(stateFolder, "lock"), gone);
  removeTree(gone);
  removeIfEmpty(stateFolder);
  removeIfEmpty(dirname(stateFolder));
}
