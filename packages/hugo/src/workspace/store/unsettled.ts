// A command lists what it is about to add to the store, or to give up, before it does. At its end, or after a crash at
// the end of the next command, what is listed and not needed is deleted. Everything else stays until `hugo prune`,
// because the hugo.json of another branch may name it.
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readPlain } from "./disk.ts";

const LIST = "unsettled";

/** @param paths Below the state folder: `store/review-0123456789abcdef`, `bases/…`. */
export function listUnsettled(stateFolder: string, paths: Iterable<string>): void {
  // An interrupted write may have left half a line.
  appendFileSync(join(stateFolder, LIST), `\n${[...paths].join("\n")}\n`);
}

/** Undefined if no command has listed anything. The folder may come with a repository, so these are not safe paths. */
export function unsettledIn(stateFolder: string): ReadonlySet<string> | undefined {
  const text = readPlain(join(stateFolder, LIST))?.bytes.toString("utf8");
  return text === undefined ? undefined : new Set(text.split("\n"));
}

export function endUnsettled(stateFolder: string): void {
  rmSync(join(stateFolder, LIST), { force: true });
}
